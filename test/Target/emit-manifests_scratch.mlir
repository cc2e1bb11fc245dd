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

// A tensor map of scratch.
// CHECK-LABEL: func.func @map
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22tensor_map\22:{\22box\22:[64,32],\22scratch\22:0,\22swizzle\22:128}}]
// CHECK-NOT:     preprocess
// CHECK-SAME:    \22version\22:3
func.func @map(%b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %b, %c0 : memref<?xf32>
  %s = memref.alloc(%n) : memref<?x32xf32>
  %map = wgtile.tensor_map %s : memref<?x32xf32> -> !wgtile.tensor_map<64x32xf32, swizzle = 128>
  wgtile.launch @kernels::@kernel grid(%n) args(%map) : !wgtile.tensor_map<64x32xf32, swizzle = 128>
  // What another launch has been given before.
  wgtile.launch @kernels::@kernel grid(%n) args(%s) preprocess : memref<?x32xf32>
  return
}

// A copy that stands for an argument under a condition: its strides, the parameters
// that have it, sizes of either, and the check of the argument's stride alone.
// CHECK-LABEL: func.func @replaced
// CHECK-SAME:    \22checks\22:[{\22message\22:\22argument 'arg0': expected a stride of 1 along dimension 1, but got {{[^}]*}}}\22,\22value\22:[[CHECK:[0-9]+]]}]
// CHECK-SAME:    \22scratch\22:[{\22element\22:\22f32\22,\22sizes\22:[{{[0-9]+}},{{[0-9]+}}],\22strides\22:[[[ROW:[0-9]+]],{{[0-9]+}}]}]
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22scratch\22:0}]
// CHECK-SAME:    {\22arguments\22:[{\22memref\22:0,\22replaced\22:{\22scratch\22:0,\22when\22:[[WHEN:[0-9]+]]}},{\22tensor_map\22:{\22argument\22:0,\22box\22:[64,32],\22replaced\22:{\22scratch\22:0,\22when\22:[[WHEN]]},\22swizzle\22:128}},{\22type\22:\22i64\22,\22value\22:{{[0-9]+}}}]
// CHECK-SAME:    {\22op\22:\22select\22,\22operands\22:[[[WHEN]],{{[0-9]+}},{{[0-9]+}}]}
!matrix = memref<?x?xf32, strided<[?, ?], offset: ?>>
!unit = memref<?x?xf32, strided<[?, 1], offset: ?>>
func.func @replaced(%b: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %b, %c0 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %row = arith.addi %n, %c1 : index
  %when = arith.cmpi sgt, %m, %n : index
  %used = scf.if %when -> !matrix {
    %s = memref.alloc(%m, %n)[%row] : memref<?x?xf32, strided<[?, 1]>>
    %any = memref.cast %s : memref<?x?xf32, strided<[?, 1]>> to !matrix
    wgtile.launch @kernels::@kernel grid(%n) args(%any) : !matrix
    scf.yield %any : !matrix
  } else {
    scf.yield %b : !matrix
  }
  %cast = memref.cast %used : !matrix to !unit
  %map = wgtile.tensor_map %used : !matrix -> !wgtile.tensor_map<64x32xf32, swizzle = 128>
  %size = memref.dim %used, %c1 : !matrix
  wgtile.launch @kernels::@kernel grid(%n) args(%cast, %map, %size)
      : !unit, !wgtile.tensor_map<64x32xf32, swizzle = 128>, index
  return
}

// Memory that the runtime fills before each call, and memory that launches leave as
// they found it.
// CHECK-LABEL: func.func @zeros
// CHECK-SAME:    \22scratch\22:[{\22element\22:\22i32\22,\22sizes\22:[{{[0-9]+}}],\22zero\22:true},{\22element\22:\22i32\22,\22left_zero\22:true,\22sizes\22:[{{[0-9]+}}],\22zero\22:true}]
func.func @zeros(%n: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %filled = memref.alloc(%c1) {wgtile.zeroed} : memref<?xi32>
  %left = memref.alloc(%c1) {wgtile.left_zero, wgtile.zeroed} : memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%c1) args(%filled, %left) : memref<?xi32>, memref<?xi32>
  return
}

// Of two launches that are hints the second has scratch of one that is none.
// CHECK-LABEL: func.func @hints
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22memref\22:0},{\22scratch\22:0}]
// CHECK-SAME:    \22hint\22:true,\22launch\22:\22kernel\22,\22preprocess\22:true
// CHECK-SAME:    {\22arguments\22:[{\22memref\22:0},{\22scratch\22:1}]
// CHECK-SAME:    \22launch\22:\22kernel\22,\22preprocess\22:true
// CHECK-NOT:     hint
// CHECK-SAME:    {\22arguments\22:[{\22scratch\22:1}]
// CHECK-NOT:     hint
// CHECK-SAME:    \22version\22:3
func.func @hints(%crow: memref<?xi32>)
    attributes {sattn.contracts = [{op = "product", operands = [
        {name = "crow", argument = 0 : i64, rank = 1 : i64}],
      checks = [{check = "offsets", argument = 0 : i64, into = 0 : i64,
                 equally_many = []}]}]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %crow, %c0 : memref<?xi32>
  %order = memref.alloc(%n) : memref<?xi32>
  %plan = memref.alloc(%n) : memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%crow, %order) preprocess {hint}
      : memref<?xi32>, memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%crow, %plan) preprocess
      : memref<?xi32>, memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%plan) preprocess {hint} : memref<?xi32>
  return
}

// Lists, and the numbers of their entries, are index arrays too.
// CHECK-LABEL: func.func @lists
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22memref\22:0},{\22memref\22:1},{\22scratch\22:0}]
// CHECK-SAME:    \22hint\22:true,\22launch\22:\22kernel\22,\22preprocess\22:true
// CHECK-SAME:    {\22arguments\22:[{\22scratch\22:0}]
func.func @lists(%counts: memref<?xi32>, %lists: memref<?x?xi32>)
    attributes {sattn.contracts = [{op = "product", operands = [
        {name = "counts", argument = 0 : i64, rank = 1 : i64},
        {name = "lists", argument = 1 : i64, rank = 2 : i64}],
      checks = [{check = "listed", argument = 1 : i64, counts = 0 : i64, what = "columns",
                 below = {constant = 8 : i64}}]}]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %counts, %c0 : memref<?xi32>
  %order = memref.alloc(%n) : memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%counts, %lists, %order) preprocess {hint}
      : memref<?xi32>, memref<?x?xi32>, memref<?xi32>
  wgtile.launch @kernels::@kernel grid(%n) args(%order) : memref<?xi32>
  return
}
