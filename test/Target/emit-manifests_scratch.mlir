// RUN: sparse-opt %s --sattn-emit-manifests | FileCheck %s

gpu.module @kernels {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel,
                                  nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}

// Allocations are scratch, with sizes as positions of values. Launches that
// read index arrays, sizes and what such launches wrote are for `preprocess`.
// CHECK-LABEL: func.func @preprocess
// CHECK-SAME:    \22scratch\22:[{\22element\22:\22i32\22,\22sizes\22:[1,[[TWO:[0-9]+]]]}]
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22memref\22:0},{\22scratch\22:0},{\22type\22:\22i64\22,\22value\22:1}]
// CHECK-SAME:    \22preprocess\22:true
// CHECK-SAME:    {\22arguments\22:[{\22scratch\22:0},{\22memref\22:1}]
// CHECK-NOT:     preprocess
// CHECK-SAME:    \22version\22:3
// CHECK-SAME:    {
func.func @preprocess(%crow: memref<?xi32>, %values: memref<?xf32>)
    attributes {sattn.contracts = [{op = "product", operands = [
        {name = "crow", argument = 0 : i64, rank = 1 : i64},
        {name = "values", argument = 1 : i64, rank = 1 : i64}],
      checks = [{check = "offsets", argument = 0 : i64, into = 0 : i64,
                 equally_many = []}]}]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %crow, %c0 : memref<?xi32>
  %s = memref.alloc(%n) : memref<?x2xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%crow, %s, %n) preprocess
      : memref<?xi32>, memref<?x2xi32>, index
  wgtile.launch @kernels::@kernel grid(%n) args(%s, %values)
      : memref<?x2xi32>, memref<?xf32>
  // What another launch has been given before.
  wgtile.launch @kernels::@kernel grid(%n) args(%s) preprocess : memref<?x2xi32>
  // What is not an index array.
  wgtile.launch @kernels::@kernel grid(%n) args(%values) preprocess
      : memref<?xf32>
  return
}
