// A tile whose K the MMAs of the chip do not take is refused in the words of the tile.
// RUN: not sparse-translate --to=ptx %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'sattn.flex_attention' op expected K of the tile to be a multiple of 16, since a left factor is computed in registers, but got 72
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
      } {meta = #sattn.meta<tile = [128, 64, 72]>, packed_heads = 4 : i64}
  return %0 : tensor<?x?x?x128xbf16>
}
