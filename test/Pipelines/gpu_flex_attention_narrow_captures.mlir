// Captured tensors of 8 and 64 bits that are read at the query, at the key and at
// both: elements of 8 bits pass through registers of 16.
// RUN: sparse-translate --to=ptx --verify-each %s | FileCheck %s
// RUN: sparse-translate --to=ptx --verify-each --chip=sm_80 %s | FileCheck %s

// CHECK-LABEL: .visible .entry bytes(
// CHECK: ld.global.u8 %rs{{[0-9]+}}, [
func.func @bytes(%scale: f32, %q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>,
    %rows: tensor<?xi8>, %table: tensor<?x?xi8>, %o: tensor<?x?x64xf16>) -> tensor<?x?x64xf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x64xf16>)
      captures(%rows, %table : tensor<?xi8>, tensor<?x?xi8>)
      outs(%o : tensor<?x?x64xf16>) -> tensor<?x?x64xf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %rows_in: tensor<?xi8>, %table_in: tensor<?x?xi8>):
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %0 = tensor.extract %rows_in[%row] : tensor<?xi8>
        %1 = tensor.extract %rows_in[%column] : tensor<?xi8>
        %2 = tensor.extract %table_in[%row, %column] : tensor<?x?xi8>
        %same = arith.cmpi eq, %0, %1 : i8
        %zero = arith.constant 0 : i8
        %is = arith.cmpi ne, %2, %zero : i8
        %seen = arith.andi %same, %is : i1
        sattn.yield %seen : i1
      }
  return %0 : tensor<?x?x64xf16>
}

// CHECK-LABEL: .visible .entry words(
// CHECK: ld.global.b64 %rd{{[0-9]+}}, [
func.func @words(%scale: f32, %q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>,
    %rows: tensor<?xi64>, %o: tensor<?x?x64xf16>) -> tensor<?x?x64xf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x64xf16>)
      captures(%rows : tensor<?xi64>)
      outs(%o : tensor<?x?x64xf16>) -> tensor<?x?x64xf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %rows_in: tensor<?xi64>):
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %0 = tensor.extract %rows_in[%row] : tensor<?xi64>
        %1 = tensor.extract %rows_in[%column] : tensor<?xi64>
        %same = arith.cmpi eq, %0, %1 : i64
        sattn.yield %same : i1
      }
  return %0 : tensor<?x?x64xf16>
}
