// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null \
// RUN:   --mlir-print-ir-after=sattn-cpu-version-strides 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: sparse-opt %s --sattn-to-cpu | FileCheck %s --check-prefix=LLVM
// RUN: sparse-opt %s --sattn-to-cpu=threads=openmp | FileCheck %s --check-prefix=OPENMP
// RUN: sparse-opt %s --sattn-to-cpu=vector-bits=256 | FileCheck %s --check-prefix=AVX
// RUN: sparse-opt %s --sattn-to-cpu="register-tile=8,32" | FileCheck %s --check-prefix=TILE

// A packed copy of the right operand; scratch for two register tiles, none
// allocated inside the loop over stored blocks: the rows of the left operand, and
// the sums that two branches read. The result is accumulated in place,
// without a copy.
// BUFFER-LABEL: func.func @bsr_addmm
// BUFFER-NOT:     memref.alloc
// BUFFER:         %[[PACKED:.*]] = memref.alloc(%{{.*}}, %{{.*}}) {{.*}} : memref<?x?x64xf32>
// BUFFER:         scf.forall
// BUFFER-NOT:     {{memref.alloc|memref.copy|linalg|func.call}}
// BUFFER:         scf.forall
// BUFFER-COUNT-2:   memref.alloc() {{.*}} : memref<4x64xf32>
// BUFFER-NOT:       {{memref.alloc|memref.copy|linalg|func.call}}

// The accumulator is a vector throughout the loop over stored blocks.
// BUFFER:           %[[SUM:.*]] = scf.for {{.*}} -> (vector<4x64xf32>) {
// BUFFER:             scf.for {{.*}} -> (vector<4x64xf32>) {
// BUFFER:               vector.transfer_read %[[PACKED]]
// BUFFER:           } {sattn.block_loop}
// BUFFER-NOT:     {{memref.alloc|memref.copy|linalg|func.call}}
// BUFFER-COUNT-3: memref.dealloc
// BUFFER:         return{{$}}

// Multiplications of 512 bits and more, no call but malloc and free, and a C
// interface. bf16 is moved as 16 bits.
// LLVM-NOT:   memrefCopy
// LLVM:       llvm.func @bsr_addmm(
// LLVM-NOT:     omp.
// LLVM-NOT:     {{[ x<]bf16}}
// LLVM:         llvm.intr.fmuladd{{.*}} vector<64xf32>
// LLVM:       llvm.func @_mlir_ciface_bsr_addmm(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// LLVM-NOT:   unrealized_conversion_cast

// OPENMP-COUNT-2: omp.wsloop schedule(dynamic)
// OPENMP-NOT:     omp.parallel

// AVX-NOT:    vector<64xf32>
// AVX:        llvm.intr.fmuladd{{.*}} vector<16xf32>

// TILE:       llvm.intr.fmuladd{{.*}} vector<32xf32>
func.func @bsr_addmm(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
