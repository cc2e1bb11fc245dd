// RUN: sparse-opt %s --sattn-emit-manifests | FileCheck %s
// RUN: sparse-opt %s --sattn-emit-manifests=target=cpu | FileCheck %s --check-prefix=CPU

gpu.module @kernels {
  llvm.func @kernel(%x: f32)
      attributes {gpu.kernel, nvvm.kernel,
                  nvvm.reqntid = array<i32: 256, 1, 1>,
                  wgtile.shared_bytes = 8200 : i64} {
    llvm.return
  }
  llvm.func @no_shared() attributes {gpu.kernel, nvvm.kernel,
                                     nvvm.reqntid = array<i32: 32, 1, 1>} {
    llvm.return
  }
}

// Every kind of kernel argument; sizes as expressions of earlier ones.
// CHECK-LABEL: func.func @launch
// CHECK-SAME:    sattn.manifest = "{\22arguments\22:[{\22kind\22:\22scalar\22,\22name\22:\22arg0\22,\22type\22:\22f32\22},
// CHECK-SAME:    {\22access\22:\22read_write\22,\22element\22:\22bf16\22,\22kind\22:\22tensor\22,\22name\22:\22arg1\22,\22rank\22:2}
// CHECK-SAME:    \22checks\22:[],\22contracts\22:[],\22name\22:\22launch\22
// CHECK-SAME:    \22steps\22:[{\22arguments\22:[{\22scalar\22:0},{\22tensor_map\22:{\22argument\22:1,\22box\22:[64,64],\22swizzle\22:128}},{\22memref\22:1},{\22type\22:\22i64\22,\22value\22:3}],
// CHECK-SAME:    \22block\22:256,\22grid\22:[3,4,4],\22launch\22:\22kernel\22,\22shared\22:8200,\22when\22:null},
// CHECK-SAME:    \22block\22:32,{{.*}}\22launch\22:\22no_shared\22,\22shared\22:0,
// CHECK-SAME:    \22target\22:\22sm_90a\22
// CHECK-SAME:    \22values\22:[{\22op\22:\22constant\22,\22value\22:0},{\22op\22:\22constant\22,\22value\22:64},{\22argument\22:1,\22index\22:0,\22op\22:\22dim\22},{\22op\22:\22ceildiv\22,\22operands\22:[2,1]},{\22op\22:\22constant\22,\22value\22:1}
// CHECK-SAME:    \22version\22:3}"
// CPU-LABEL: func.func @launch
// CPU-SAME:    \22target\22:\22cpu\22
func.func @launch(%x: f32, %b: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %b, %c0 : memref<?x?xbf16>
  %tiles = arith.ceildivsi %m, %c64 : index
  %map = wgtile.tensor_map %b
      : memref<?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  wgtile.launch @kernels::@kernel grid(%tiles) args(%x, %map, %b, %tiles)
      : f32, !wgtile.tensor_map<64x64xbf16, swizzle = 128>, memref<?x?xbf16>,
        index
  "wgtile.launch"(%tiles) <{kernel = @kernels::@no_shared}> : (index) -> ()
  return
}

// Each integer op that the host may use.
// CHECK-LABEL: func.func @integers
// CHECK-SAME:    \22op\22:\22add\22,\22operands\22:[1,0]}
// CHECK-SAME:    \22op\22:\22sub\22
// CHECK-SAME:    \22op\22:\22mul\22
// CHECK-SAME:    \22op\22:\22floordiv\22
// CHECK-SAME:    \22op\22:\22min\22
// CHECK-SAME:    \22op\22:\22max\22
// CHECK-SAME:    \22op\22:\22eq\22
// CHECK-SAME:    \22op\22:\22ne\22
// CHECK-SAME:    \22op\22:\22lt\22
// CHECK-SAME:    \22op\22:\22le\22
// CHECK-SAME:    \22op\22:\22gt\22
// CHECK-SAME:    \22op\22:\22ge\22
// CHECK-SAME:    \22op\22:\22and\22
// CHECK-SAME:    \22op\22:\22or\22
// CHECK-SAME:    \22op\22:\22select\22
func.func @integers(%out: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %out, %c0 : memref<?xi8>
  %0 = arith.addi %n, %c0 : index
  %1 = arith.subi %n, %0 : index
  %2 = arith.muli %n, %1 : index
  %3 = arith.floordivsi %n, %2 : index
  %4 = arith.minsi %n, %3 : index
  %5 = arith.maxsi %n, %4 : index
  %6 = arith.cmpi eq, %n, %5 : index
  %7 = arith.cmpi ne, %n, %5 : index
  %8 = arith.cmpi slt, %n, %5 : index
  %9 = arith.cmpi sle, %n, %5 : index
  %10 = arith.cmpi sgt, %n, %5 : index
  %11 = arith.cmpi sge, %n, %5 : index
  %12 = arith.andi %6, %7 : i1
  %13 = arith.ori %8, %9 : i1
  %14 = arith.select %13, %n, %0 : index
  "wgtile.launch"(%14) <{kernel = @kernels::@no_shared}> : (index) -> ()
  return
}

// A contract, of whatever op, is written as it is; it names the arguments, and
// says which is written.
// CHECK-LABEL: func.func @contract
// CHECK-SAME:    {\22access\22:\22read\22,\22element\22:\22i32\22,\22kind\22:\22tensor\22,\22name\22:\22crow\22,\22rank\22:1}
// CHECK-SAME:    {\22access\22:\22read_write\22,\22element\22:\22f32\22,\22kind\22:\22tensor\22,\22name\22:\22out\22,\22rank\22:2}
// CHECK-SAME:    \22contracts\22:[{\22batches\22:\22out\22,\22checks\22:[{\22check\22:\22equal\22,\22extent\22:{\22argument\22:3,\22dimension\22:1},\22to\22:{\22argument\22:4,\22dimension\22:1},\22what\22:\22N\22}],\22fused\22:true,\22op\22:\22product\22,\22operands\22:[{\22argument\22:0,\22name\22:\22crow\22,\22rank\22:1,\22types\22:[\22i32\22,\22i64\22]},{\22constant\22:2,\22name\22:\22alpha\22},
func.func @contract(%crow: memref<?xi32>, %col: memref<?xi32>,
                    %values: memref<?x64x32xf16>, %b: memref<?x?xf16>,
                    %out: memref<?x?xf32>, %beta: f32)
    attributes {sattn.contracts = [{op = "product", batches = "out", fused, operands = [
        {name = "crow", argument = 0 : i64, rank = 1 : i64, types = ["i32", "i64"]},
        {name = "alpha", constant = 2.0 : f32}, {name = "beta", argument = 5 : i64},
        {name = "out", argument = 4 : i64, rank = 2 : i64, written}],
      checks = [{check = "equal", extent = {argument = 3 : i64, dimension = 1 : i64}, what = "N",
                 to = {argument = 4 : i64, dimension = 1 : i64}}]}]} {
  return
}

// Extents of arguments that must be equal are checked.
// CHECK-LABEL: func.func @storage
// CHECK-SAME:    {\22message\22:\22argument 'arg3': expected dimension 0 to be that of dimension 1 of argument 'arg4', {{[{][0-9]+[}]}}, but got {{[{][0-9]+[}]}}\22,\22value\22:{{[0-9]+}}},{\22message\22:\22argument 'arg4': expected dimension 0 to be 64, but got {{[{][0-9]+[}]}}\22,\22value\22:{{[0-9]+}}}]
// CHECK-SAME:    {\22argument\22:3,\22index\22:0,\22op\22:\22dim\22},{\22argument\22:4,\22index\22:1,\22op\22:\22dim\22},{\22op\22:\22eq\22,\22operands\22:[6,7]},
func.func @storage(%crow: memref<?xi32>, %col: memref<?xi32>, %values: memref<?x8x16xf32>, %x: memref<?x?xf32>,
                   %out: memref<?x?xf32>)
    attributes {
      sattn.extent_checks = {
        checks = [{equal = affine_map<()[s0, s1, s2] -> (s0, s1)>}, {equal = affine_map<()[s0, s1, s2] -> (s2, 64)>}],
        extents = [array<i64: 3, 0>, array<i64: 4, 1>, array<i64: 4, 0>]}} {
  return
}

// What types say of sizes and strides is checked; a stride matters from two
// elements on.
// CHECK-LABEL: func.func @checks
// CHECK-SAME:    \22checks\22:[{\22message\22:\22argument 'arg0': expected dimension 1 to be 64, but got {0}\22,\22value\22:2},
// CHECK-SAME:    {\22message\22:\22argument 'arg0': expected a stride of 1 along dimension 1, but got {{[{][0-9]+[}]}}\22,\22value\22:[[STRIDE:[0-9]+]]}]
// CHECK-SAME:    {\22arguments\22:[{\22memref\22:0}]
// CHECK-SAME:    \22values\22:[{\22argument\22:0,\22index\22:1,\22op\22:\22dim\22},{\22op\22:\22constant\22,\22value\22:64},{\22op\22:\22eq\22,\22operands\22:[0,1]}
// CHECK-SAME:    {\22argument\22:0,\22index\22:1,\22op\22:\22stride\22},{\22op\22:\22constant\22,\22value\22:1},{\22op\22:\22eq\22,\22operands\22:
// CHECK-SAME:    {\22op\22:\22constant\22,\22value\22:2},{\22op\22:\22lt\22,
// CHECK-SAME:    {\22op\22:\22or\22,
func.func @checks(%out: memref<?x64xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %cast = memref.cast %out : memref<?x64xf32, strided<[?, ?], offset: ?>>
      to memref<?x64xf32, strided<[?, 1], offset: ?>>
  wgtile.launch @kernels::@kernel grid(%c0) args(%cast)
      : memref<?x64xf32, strided<[?, 1], offset: ?>>
  return
}

// Launches in a branch are under its condition, and so are checks; values are
// computed in any case.
// CHECK-LABEL: func.func @versions
// CHECK-SAME:    {\22message\22:\22argument 'arg0': expected a stride of 1 along dimension 1, but got {{[{][0-9]+[}]}}\22,\22value\22:16}]
// CHECK-SAME:    \22when\22:7},
// CHECK-SAME:    \22when\22:19}]
// CHECK-SAME:    {\22argument\22:0,\22op\22:\22tma_compatible\22},{\22argument\22:0,\22index\22:0,\22op\22:\22stride\22},
// CHECK-SAME:    {\22op\22:\22and\22,\22operands\22:[3,6]},
// CHECK-SAME:    {\22op\22:\22constant\22,\22value\22:1},{\22op\22:\22select\22,\22operands\22:[7,14,15]},
// CHECK-SAME:    {\22op\22:\22constant\22,\22value\22:0},{\22op\22:\22eq\22,\22operands\22:[7,18]},
func.func @versions(%out: memref<?x64xf32, strided<[?, ?], offset: ?>>) {
  %tma_compatible = wgtile.tma_compatible %out
      : memref<?x64xf32, strided<[?, ?], offset: ?>>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %out
      : memref<?x64xf32, strided<[?, ?], offset: ?>>
      -> memref<f32>, index, index, index, index, index
  %c0 = arith.constant 0 : index
  %rows = arith.cmpi ne, %strides#0, %c0 : index
  %both = arith.andi %tma_compatible, %rows : i1
  scf.if %both {
    %cast = memref.cast %out : memref<?x64xf32, strided<[?, ?], offset: ?>>
        to memref<?x64xf32, strided<[?, 1], offset: ?>>
    wgtile.launch @kernels::@kernel grid(%c0) args(%cast)
        : memref<?x64xf32, strided<[?, 1], offset: ?>>
  } else {
    wgtile.launch @kernels::@kernel grid(%c0) args(%out)
        : memref<?x64xf32, strided<[?, ?], offset: ?>>
  }
  return
}

// A function that launches nothing may hold any op.
// CHECK-LABEL: func.func @no_launch
// CHECK-SAME:    \22steps\22:[]
// CHECK-SAME:    \22values\22:[]
func.func @no_launch(%x: f32) {
  %0 = arith.addf %x, %x : f32
  return
}

// CHECK-LABEL: func.func private @private
// CHECK-NOT:     sattn.manifest
func.func private @private() {
  return
}
// CHECK-LABEL: func.func private @declared
// CHECK-NOT:     sattn.manifest
func.func private @declared()

// A version that is not kept: needed where the branch is taken and the assertion
// does not hold; after one step.
// CHECK-LABEL: func.func @missing
// CHECK-SAME:    \22missing\22:[{\22before\22:1,\22kernel\22:\22other\22,\22tuning\22:{\22origin\22:\22here\22,\22parameters\22:\22tile\22},\22version\22:\22copy\22,\22when\22:8}]
// CHECK-SAME:    \22launch\22:\22no_shared\22
// CHECK-SAME:    {\22argument\22:0,\22op\22:\22tma_compatible\22},{\22op\22:\22constant\22,\22value\22:1},{\22op\22:\22constant\22,\22value\22:1},{\22op\22:\22constant\22,\22value\22:0},{\22op\22:\22eq\22,\22operands\22:[0,3]},{\22op\22:\22constant\22,\22value\22:0},{\22op\22:\22constant\22,\22value\22:1},{\22op\22:\22ne\22,\22operands\22:[5,6]},{\22op\22:\22and\22,\22operands\22:[4,7]}
func.func @missing(%a: memref<?x?xf32>) {
  %0 = wgtile.tma_compatible %a : memref<?x?xf32>
  scf.if %0 {
    %c1 = arith.constant 1 : index
    "wgtile.launch"(%c1) <{kernel = @kernels::@no_shared}> : (index) -> ()
  } else {
    %false = arith.constant false
    cf.assert %false, "other" {wgtile.tuning = {origin = "here", parameters = "tile"}, wgtile.version = "copy"}
  }
  return
}
