// What depends on a row or a column alone is computed as a vector, and sums become a
// ramp of the column's number and one FMA for each tile.
// RUN: sparse-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-reassociate),canonicalize,cse)' | FileCheck %s

// score * scale + slope * (j - i), times a constant: one FMA of the score, and one of
// the column.
// CHECK-LABEL: gpu.func @alibi(
// CHECK-SAME:    %[[S:.+]]: tensor<64x128xf32>, %[[SCALE:.+]]: f32, %[[SLOPE:.+]]: f32, %[[I0:.+]]: i32, %[[J0:.+]]: i32
// CHECK-DAG:   %[[LOG:.+]] = arith.constant 1.5{{.*}} : f32
// CHECK:       arith.sitofp %{{.+}} : tensor<64xi32> to tensor<64xf32>
// CHECK-NOT:   tensor<64x128xi32>
// CHECK:       %[[B:.+]] = arith.mulf %[[SLOPE]], %[[LOG]] : f32
// CHECK:       %[[A:.+]] = arith.mulf %[[SCALE]], %[[LOG]] : f32
// CHECK:       %[[R:.+]] = wgtile.ramp %{{.+}}, %[[B]] plus %[[S]] times %[[A]] : tensor<64xf32>, f32 -> tensor<64x128xf32>
// CHECK-NEXT:  "test.use"(%[[R]])
gpu.module @kernels {
  gpu.func @alibi(%s: tensor<64x128xf32>, %scale: f32, %slope: f32, %i0: i32, %j0: i32) kernel {
    %c = arith.constant dense<1.5> : tensor<64x128xf32>
    %rows = wgtile.step : tensor<64xi32>
    %columns = wgtile.step : tensor<128xi32>
    %row = wgtile.broadcast %rows dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
    %column = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %i1 = tensor.splat %i0 : tensor<64x128xi32>
    %j1 = tensor.splat %j0 : tensor<64x128xi32>
    %i = arith.addi %row, %i1 : tensor<64x128xi32>
    %j = arith.addi %column, %j1 : tensor<64x128xi32>
    %d = arith.subi %j, %i : tensor<64x128xi32>
    %f = arith.sitofp %d : tensor<64x128xi32> to tensor<64x128xf32>
    %slopes = tensor.splat %slope : tensor<64x128xf32>
    %scales = tensor.splat %scale : tensor<64x128xf32>
    %bias = arith.mulf %slopes, %f fastmath<reassoc> : tensor<64x128xf32>
    %scaled = arith.mulf %s, %scales fastmath<reassoc> : tensor<64x128xf32>
    %sum = arith.addf %scaled, %bias fastmath<reassoc> : tensor<64x128xf32>
    %r = arith.mulf %sum, %c fastmath<reassoc> : tensor<64x128xf32>
    "test.use"(%r) : (tensor<64x128xf32>) -> ()
    gpu.return
  }
}

// -----

// Without the flag only the distance becomes a ramp.
// CHECK-LABEL: gpu.func @as_written(
// CHECK:       %[[D:.+]] = wgtile.ramp %{{.+}}, %{{.+}} : tensor<64xi32>, i32 -> tensor<64x128xi32>
// CHECK:       %[[F:.+]] = arith.sitofp %[[D]] : tensor<64x128xi32> to tensor<64x128xf32>
// CHECK:       %[[M:.+]] = arith.mulf %{{.+}}, %[[F]] : tensor<64x128xf32>
// CHECK:       arith.addf %{{.+}}, %[[M]] : tensor<64x128xf32>
gpu.module @kernels {
  gpu.func @as_written(%s: tensor<64x128xf32>, %slope: f32) kernel {
    %rows = wgtile.step : tensor<64xi32>
    %columns = wgtile.step : tensor<128xi32>
    %i = wgtile.broadcast %rows dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
    %j = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %d = arith.subi %j, %i : tensor<64x128xi32>
    %f = arith.sitofp %d : tensor<64x128xi32> to tensor<64x128xf32>
    %slopes = tensor.splat %slope : tensor<64x128xf32>
    %bias = arith.mulf %slopes, %f : tensor<64x128xf32>
    %sum = arith.addf %s, %bias : tensor<64x128xf32>
    "test.use"(%sum) : (tensor<64x128xf32>) -> ()
    gpu.return
  }
}

// -----

// The absolute value of a distance is that of its f32.
// CHECK-LABEL: gpu.func @distance(
// CHECK:       %[[D:.+]] = wgtile.ramp %{{.+}} : tensor<64xf32>, f32 -> tensor<64x128xf32>
// CHECK:       %[[A:.+]] = math.absf %[[D]]
// CHECK:       arith.subf %{{.+}}, %[[A]]
gpu.module @kernels {
  gpu.func @distance(%s: tensor<64x128xf32>) kernel {
    %rows = wgtile.step : tensor<64xi32>
    %columns = wgtile.step : tensor<128xi32>
    %i = wgtile.broadcast %rows dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
    %j = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %d = arith.subi %j, %i : tensor<64x128xi32>
    %a = math.absi %d : tensor<64x128xi32>
    %f = arith.sitofp %a : tensor<64x128xi32> to tensor<64x128xf32>
    %less = arith.subf %s, %f fastmath<reassoc> : tensor<64x128xf32>
    "test.use"(%less) : (tensor<64x128xf32>) -> ()
    gpu.return
  }
}

// -----

// A sum that is read twice is computed once, and a quotient is a product where
// `arcp` says so.
// CHECK-LABEL: gpu.func @softcap(
// CHECK-SAME:    %[[S:.+]]: tensor<64x128xf32>, %[[SCALE:.+]]: f32, %[[CAP:.+]]: f32
// CHECK:       %[[X:.+]] = arith.mulf %[[S]], %{{.+}} : tensor<64x128xf32>
// CHECK:       %[[T:.+]] = math.tanh %[[X]]
// CHECK:       %[[Y:.+]] = arith.mulf %[[T]], %{{.+}} : tensor<64x128xf32>
// CHECK:       "test.use"(%[[X]], %[[Y]])
gpu.module @kernels {
  gpu.func @softcap(%s: tensor<64x128xf32>, %scale: f32, %cap: f32) kernel {
    %c = arith.constant dense<1.5> : tensor<64x128xf32>
    %scales = tensor.splat %scale : tensor<64x128xf32>
    %caps = tensor.splat %cap : tensor<64x128xf32>
    %scaled = arith.mulf %s, %scales fastmath<reassoc> : tensor<64x128xf32>
    %x = arith.divf %scaled, %caps fastmath<reassoc,arcp> : tensor<64x128xf32>
    %t = math.tanh %x : tensor<64x128xf32>
    %capped = arith.mulf %t, %caps fastmath<reassoc> : tensor<64x128xf32>
    %y = arith.mulf %capped, %c fastmath<reassoc> : tensor<64x128xf32>
    "test.use"(%x, %y) : (tensor<64x128xf32>, tensor<64x128xf32>) -> ()
    gpu.return
  }
}

// -----

// Rows and columns with a comparison: before the broadcast where one vector is all.
// CHECK-LABEL: gpu.func @vectors(
// CHECK:       %[[L:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : tensor<128xi32>
// CHECK:       wgtile.broadcast %[[L]] dimension 1 : tensor<128xi1> -> tensor<64x128xi1>
gpu.module @kernels {
  gpu.func @vectors(%length: i32) kernel {
    %columns = wgtile.step : tensor<128xi32>
    %j = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %lengths = tensor.splat %length : tensor<64x128xi32>
    %r = arith.cmpi slt, %j, %lengths : tensor<64x128xi32>
    "test.use"(%r) : (tensor<64x128xi1>) -> ()
    gpu.return
  }
}

// -----

// A comparison of a row's number with the column's is one of the distance with 0,
// which cannot overflow.
// CHECK-LABEL: gpu.func @compare(
// CHECK-SAME:    %[[LAST:.+]]: tensor<64xi32>
// CHECK-DAG:   %[[LEAST:.+]] = arith.constant dense<-2147483520> : tensor<64xi32>
// CHECK-DAG:   %[[NONE:.+]] = arith.constant dense<0> : tensor<64x128xi32>
// CHECK:       %[[ROWS:.+]] = arith.maxsi %[[LAST]], %[[LEAST]] : tensor<64xi32>
// CHECK:       %[[D:.+]] = wgtile.ramp %[[ROWS]], %{{.+}} nsw : tensor<64xi32>, i32 -> tensor<64x128xi32>
// CHECK:       arith.cmpi sge, %[[D]], %[[NONE]] : tensor<64x128xi32>
// CHECK:       arith.cmpi slt, %{{.+}}, %[[NONE]] : tensor<64x128xi32>
// CHECK:       arith.cmpi ult, %{{.+}}, %{{.+}} : tensor<64x128xi32>
gpu.module @kernels {
  gpu.func @compare(%last: tensor<64xi32>) kernel {
    %columns = wgtile.step : tensor<128xi32>
    %i = wgtile.broadcast %last dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
    %j = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %r = arith.cmpi sge, %i, %j : tensor<64x128xi32>
    %s = arith.cmpi sgt, %j, %i : tensor<64x128xi32>
    %t = arith.cmpi ult, %i, %j : tensor<64x128xi32>
    "test.use"(%r, %s, %t) : (tensor<64x128xi1>, tensor<64x128xi1>, tensor<64x128xi1>) -> ()
    gpu.return
  }
}

// -----

// A distance that does not wrap is a ramp that does not: its start is the distance
// in the first column.
// CHECK-LABEL: gpu.func @exact(
// CHECK:       wgtile.ramp %{{.+}}, %{{.+}} nsw : tensor<64xi32>, i32 -> tensor<64x128xi32>
// CHECK:       %[[WRAPS:.+]] = wgtile.ramp %{{.+}}, %{{[^ ]+}} : tensor<64xi32>, i32 -> tensor<64x128xi32>
// CHECK:       "test.use"(%{{.+}}, %[[WRAPS]], %[[WRAPS]])
gpu.module @kernels {
  gpu.func @exact(%rows: tensor<64xi32>, %start: i32) kernel {
    %step = wgtile.step : tensor<128xi32>
    %starts = tensor.splat %start : tensor<128xi32>
    %columns = arith.addi %step, %starts overflow<nsw> : tensor<128xi32>
    %wrapped = arith.addi %step, %starts : tensor<128xi32>
    %i = wgtile.broadcast %rows dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
    %j = wgtile.broadcast %columns dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %k = wgtile.broadcast %wrapped dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
    %a = arith.subi %i, %j overflow<nsw> : tensor<64x128xi32>
    %b = arith.subi %i, %j : tensor<64x128xi32>
    %c = arith.subi %i, %k overflow<nsw> : tensor<64x128xi32>
    "test.use"(%a, %b, %c) : (tensor<64x128xi32>, tensor<64x128xi32>, tensor<64x128xi32>) -> ()
    gpu.return
  }
}
