// RUN: sparse-opt %s --sattn-to-cpu=vector-bits=256 | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=x86_64-linux-gnu -mcpu=haswell -fp-contract=fast -o - | FileCheck %s --check-prefix=AVX2
// RUN: sparse-opt %s --sattn-to-cpu=vector-bits=128 | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O3 -mtriple=aarch64-linux-gnu -filetype=obj -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=AARCH64

// The same program for machines other than this one: fused multiply-adds on
// whole vectors, no wider ones, and no call but of the C library's allocator.
// AVX2-LABEL: bsr_addmm:
// AVX2-NOT:     zmm
// AVX2-NOT:     callq {{[^mf]}}
// AVX2:         vfmadd{{[0-9]+}}ps {{.*}}%ymm
// AVX2-NOT:     zmm
// AVX2:       .size bsr_addmm

// AARCH64-LABEL: <bsr_addmm>:
// AARCH64:         fmla v{{[0-9]+}}.4s
// AARCH64-LABEL: <_mlir_ciface_bsr_addmm>:
func.func @bsr_addmm(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x32x32xf32>, %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x32x32xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) {meta = #sattn.meta<tile = [32, 64, 32]>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
