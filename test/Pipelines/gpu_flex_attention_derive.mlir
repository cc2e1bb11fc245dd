// Masks of index arithmetic need no list: the kernel's arguments are those of the
// attention. A sink and a window, chunks, and a prefix of each batch.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-outline-kernels -o /dev/null 2>&1 | FileCheck %s
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: %if ptxas %{ sparse-translate --to=cubin --verify-each %s -o /dev/null %}
// On sm_80, whose kernels have no producer, the prefixes keep one number in memory.
// RUN: %if ptxas %{ sparse-translate --to=ptx --verify-each --chip=sm_80 %s -o %t.ptx %}
// RUN: %if ptxas %{ %check_ptx --arch=sm_80 --entry=sinks %t.ptx %}
// RUN: %if ptxas %{ %check_ptx --arch=sm_80 --entry=chunks %t.ptx %}

// CHECK-LABEL: gpu.func @sinks
// CHECK-SAME: (%{{[^:]+}}: memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>, %{{[^:]+}}: memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>, %{{[^:]+}}: memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>, %{{[^:]+}}: memref<?x?x?x128xbf16, strided<[?, ?, ?, ?], offset: ?>>{{.*}}) kernel
// Two loops: of the blocks with a mask, and of those without.
// LOOPS-LABEL: gpu.func @sinks(
// LOOPS: consumer
// LOOPS: wgtile.mma_async
// LOOPS: wgtile.step
// LOOPS: } {wgtile.block_loop}
// LOOPS: scf.for
// LOOPS: wgtile.mma_async
// LOOPS-NOT: wgtile.step
// LOOPS: } {wgtile.block_loop}
func.func @sinks(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %scale = arith.constant 0.125 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %four = arith.constant 4 : i32
        %size = arith.constant 1000 : i32
        %d = arith.subi %i, %j : i32
        %near = arith.cmpi slt, %d, %size : i32
        %past = arith.cmpi sge, %i, %j : i32
        %band = arith.andi %near, %past : i1
        %sink = arith.cmpi slt, %j, %four : i32
        %r = arith.ori %band, %sink : i1
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x?x128xbf16>
}

// CHECK-LABEL: gpu.func @chunks
func.func @chunks(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %scale = arith.constant 0.125 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %size = arith.constant 1000 : i32
        %x = arith.divsi %i, %size : i32
        %y = arith.divsi %j, %size : i32
        %same = arith.cmpi eq, %x, %y : i32
        %past = arith.cmpi sge, %i, %j : i32
        %r = arith.andi %same, %past : i1
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x?x128xbf16>
}

// CHECK-LABEL: gpu.func @prefixes
func.func @prefixes(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %prefix: tensor<?xi32>, %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %scale = arith.constant 0.125 : f32
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      captures(%prefix : tensor<?xi32>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %prefix_in: tensor<?xi32>):
        %bi = arith.index_cast %b : i32 to index
        %length = tensor.extract %prefix_in[%bi] : tensor<?xi32>
        %inside = arith.cmpi slt, %j, %length : i32
        %past = arith.cmpi sge, %i, %j : i32
        %r = arith.ori %inside, %past : i1
        sattn.yield %r : i1
      }
  return %0 : tensor<?x?x?x128xbf16>
}
