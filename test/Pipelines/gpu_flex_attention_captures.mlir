// Captured tensors that are read at the query and at the key become tiles. Kernels
// whose mask has tiles of its own may spill a few registers.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=convert-vector-to-wgtile -o /dev/null 2>&1 | FileCheck %s
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-before=wgtile-version-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAMP
// RUN: sparse-translate --to=ptx --verify-each %s -o /dev/null
// RUN: sparse-translate --to=ptx --verify-each --chip=sm_80 %s -o /dev/null

// Rows are read before the loop, columns in it.
// CHECK-LABEL: gpu.func @document(
// CHECK: wgtile.read %{{.+}} memref<?xi32
// CHECK: scf.for
// CHECK: wgtile.read %{{.+}} memref<?xi32
func.func @document(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %doc: tensor<?xi32>, %o: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      captures(%doc : tensor<?xi32>)
      outs(%o : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %x = tensor.extract %doc_in[%row] : tensor<?xi32>
        %y = tensor.extract %doc_in[%column] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x128xbf16>
}

// An index that is computed from positions is a gather: a load for each element.
// CHECK-LABEL: gpu.func @relative(
// CHECK: scf.for
// CHECK: wgtile.gather %{{.+}}[%{{.+}}, %{{.+}} : tensor<128x128xi64>, tensor<128x128xi64>] : memref<?x?xf32
func.func @relative(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %table: tensor<?x?xf32>, %o: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      captures(%table : tensor<?x?xf32>)
      outs(%o : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %table_in: tensor<?x?xf32>):
        %head = arith.index_cast %h : i32 to index
        %distance = arith.subi %j, %i : i32
        %at = arith.index_cast %distance : i32 to index
        %bias = tensor.extract %table_in[%head, %at] : tensor<?x?xf32>
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      }
  return %0 : tensor<?x?x128xbf16>
}

// ALiBi written by hand: positions are vectors, and an element has two FMAs, of the
// score and of its column.
// RAMP-LABEL: gpu.func @alibi(
// RAMP: scf.for
// RAMP-NOT: arith.sitofp %{{.+}} : tensor<128x128xi32
// RAMP: wgtile.ramp %{{.+}}, %{{.+}} plus %{{.+}} times %{{.+}} : tensor<128xf32>, f32 -> tensor<128x128xf32>
func.func @alibi(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %slopes: tensor<?xf32>, %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      captures(%slopes : tensor<?xf32>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %float = arith.sitofp %distance : i32 to f32
        %bias = arith.mulf %slope, %float : f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x?x128xbf16>
}
