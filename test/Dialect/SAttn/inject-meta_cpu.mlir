// RUN: sparse-opt %s "--sattn-inject-meta=vector-bits=256 device='CPU haswell' table=%S/Inputs/cpu-table.json" \
// RUN:   | FileCheck %s
// RUN: sparse-opt %s "--sattn-inject-meta=vector-bits=128 device='CPU znver4' table=%S/Inputs/cpu-table.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SMALL

// A table's row gives the register tile and the threads; one that registers
// cannot hold does not fit.
// CHECK:      meta = #sattn.meta<tile = [64, 64, 64], register_rows = 6, register_vectors = 2, threads = 4>
// SMALL:      warning: {{.*}} fits no tile: expected a register tile that takes at most 16 registers of 128 bits, but got 4 x 4 vectors, which take 21
// SMALL:      meta = #sattn.meta<tile = [64, 128, 64]>
func.func @f(%crow: tensor<17xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf32>, %b: tensor<1024x1024xf32>,
             %out: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<17xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<1024x1024xf32>)
      outs(%out : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
