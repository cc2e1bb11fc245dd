// Captured tensors that are read at the query and at the key become tiles. Kernels
// whose mask has tiles of its own may spill a few registers.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=convert-vector-to-wgtile -o /dev/null 2>&1 | FileCheck %s
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
