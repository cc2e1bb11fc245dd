// REQUIRES: ptxas
// The kernels assemble without spills, in both index types.
// RUN: sparse-opt %s \
// RUN:   --pass-pipeline='builtin.module(convert-sattn-plan-to-gpu,gpu.module(arith-expand,canonicalize,cse,convert-scf-to-cf,convert-kernel-to-llvm,convert-nvvm-to-llvm,reconcile-unrealized-casts),sattn-serialize-kernels{chip=sm_90a format=cubin ptxas=%ptxas})' \
// RUN:   | FileCheck %s

// CHECK: gpu.binary @kernels
func.func @i32(%columns: index, %crow: memref<?xi32, strided<[?], offset: ?>>,
               %col: memref<?xi32, strided<[?], offset: ?>>,
               %p: memref<?x4xi32>, %s: memref<?x3xi32>) {
  sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : memref<?xi32, strided<[?], offset: ?>>,
          memref<?xi32, strided<[?], offset: ?>>)
      outs(%p, %s : memref<?x4xi32>, memref<?x3xi32>)
  return
}

func.func @i64_batches(%columns: index, %crow: memref<?x?xi64>,
                       %col: memref<?x?xi64>, %p: memref<?x?x34xi32>,
                       %s: memref<?x?x33xi32>) {
  sattn.plan groups(32) columns(%columns)
      ins(%crow, %col : memref<?x?xi64>, memref<?x?xi64>)
      outs(%p, %s : memref<?x?x34xi32>, memref<?x?x33xi32>)
  return
}
