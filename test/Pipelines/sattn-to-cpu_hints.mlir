// RUN: sparse-opt %s --sattn-to-cpu="vector-bits=256 threads=openmp" --mlir-print-ir-after=sattn-cpu-version-strides \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: FileCheck %s --check-prefix=THREADS < %t
// RUN: sed "s/register_rows = 2/register_rows = 4/" %s \
// RUN:   | not sparse-opt - --sattn-to-cpu=vector-bits=256 2>&1 | FileCheck %s --check-prefix=MANY

// Hints of the op reach the register tile, the panels, which are as wide, and the
// threads.
// TILE:     memref<?x?x32xf32>
// TILE:     vector.contract {{.*}} : vector<2x1xf32>, vector<1x32xf32> into vector<2x32xf32>
// TILE-NOT: vector<6x
// THREADS:  omp.parallel {
// THREADS:  omp.parallel num_threads(%{{.*}} : i32) {
// MANY:     error: expected a register tile that takes at most 16 registers of 256 bits, but got 4 x 4 vectors, which take 21
func.func @f(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x32x32xf32>, %b: tensor<?x?xf32>,
             %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x32x32xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>)
      {meta = #sattn.meta<tile = [32, 64, 32], register_rows = 2, register_vectors = 4, threads = 2>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
