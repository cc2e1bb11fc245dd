// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-overlap),canonicalize,cse)' | FileCheck %s
// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-overlap))' | FileCheck %s --check-prefix=RAW

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!packed = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  // Nothing chooses between a result and what it is computed from.
  // RAW-NOT: arith.select {{.*}} : tensor

  // The first product of the next block stands before the last product of this
  // one, and what is computed between them behind it.
  // CHECK-LABEL: gpu.func @chain
  // CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index
  // CHECK: %[[TURN:.+]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
  // CHECK: %[[R:.+]] = scf.if %[[TURN]]
  // CHECK:   wgtile.load %{{.+}}[%[[BEGIN]], %{{.+}}]
  // CHECK:   %[[S0:.+]] = wgtile.mma
  // CHECK:   %[[T0:.+]] = arith.truncf %[[S0]]
  // CHECK:   %[[LAST:.+]] = arith.subi %[[END]], %{{.+}}
  // CHECK:   %[[LOOP:.+]]:2 = scf.for %[[P:.+]] = %[[BEGIN]] to %[[LAST]] {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[T:.+]] = %[[T0]])
  // CHECK:     %[[NEXT:.+]] = arith.addi %[[P]], %{{.+}}
  // CHECK:     wgtile.load %{{.+}}[%[[NEXT]], %{{.+}}]
  // CHECK:     %[[S:.+]] = wgtile.mma
  // CHECK:     %[[D:.+]] = wgtile.mma %[[T]], %{{.+}}, %[[ACC]]
  // CHECK:     %[[TRUNC:.+]] = arith.truncf %[[S]]
  // CHECK:     scf.yield %[[D]], %[[TRUNC]]
  // CHECK:   } {wgtile.block_loop}
  // CHECK:   %[[DONE:.+]] = wgtile.mma %[[LOOP]]#1, %{{.+}}, %[[LOOP]]#0
  // CHECK:   scf.yield %[[DONE]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield
  gpu.func @chain(%begin: index, %end: index, %a: !map, %v: !shared, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %d = wgtile.mma %t, %v, %acc : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // What only the last product needs is loaded with it.
  // CHECK-LABEL: gpu.func @own_load
  // CHECK: scf.for
  // CHECK:   %[[S:.+]] = wgtile.mma
  // CHECK-NEXT: %[[V:.+]] = wgtile.load
  // CHECK-NEXT: wgtile.mma %{{.+}}, %[[V]], %{{.+}}
  // CHECK-NEXT: arith.truncf %[[S]]
  gpu.func @own_load(%begin: index, %end: index, %a: !map, %v: !map, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %w = wgtile.load %v[%p, %c0] : !map -> !shared
      %d = wgtile.mma %t, %w, %acc : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // Both products read one loaded tile, which the loop carries.
  // CHECK-LABEL: gpu.func @shared_tile
  // CHECK: scf.if
  // CHECK:   %[[B0:.+]] = wgtile.load
  // CHECK:   wgtile.mma %{{.+}}, %[[B0]]
  // CHECK:   %[[LOOP:.+]]:3 = scf.for {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[T:.+]] = %{{.+}}, %[[B:.+]] = %[[B0]])
  // CHECK:     %[[NEXT:.+]] = wgtile.load
  // CHECK:     wgtile.mma %{{.+}}, %[[NEXT]]
  // CHECK:     wgtile.mma %[[T]], %[[B]], %[[ACC]]
  // CHECK:     scf.yield %{{.+}}, %{{.+}}, %[[NEXT]]
  // CHECK:   wgtile.mma %[[LOOP]]#1, %[[LOOP]]#2, %[[LOOP]]#0
  gpu.func @shared_tile(%begin: index, %end: index, %a: !map, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %d = wgtile.mma %t, %b, %acc : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // A tile that the loop does not load is not carried.
  // CHECK-LABEL: gpu.func @stage
  // CHECK-NOT: scf.if
  gpu.func @stage(%begin: index, %end: index, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %ring = wgtile.ring warps 4 : !wgtile.ring<2, [!shared]>
    %u = wgtile.consumer_wait %ring : !wgtile.ring<2, [!shared]>
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.ring_tile %ring[%u] 0 : !wgtile.ring<2, [!shared]> -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %d = wgtile.mma %t, %b, %acc : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.consumer_release %ring[%u] : !wgtile.ring<2, [!shared]>
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // The last product's result is used in its own turn.
  // CHECK-LABEL: gpu.func @used_in_turn
  // CHECK-NOT: scf.if
  gpu.func @used_in_turn(%begin: index, %end: index, %a: !map, %v: !shared, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %d = wgtile.mma %t, %v, %zero : !packed, !shared -> !acc
      %sum = arith.addf %d, %acc : !acc
      scf.yield %sum : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // One product, or a loop that is not over blocks, is left alone.
  // CHECK-LABEL: gpu.func @one_product
  // CHECK-NOT: scf.if
  gpu.func @one_product(%begin: index, %end: index, %a: !map, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %acc : !shared, !shared -> !acc
      scf.yield %s : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
  // A product by mma.sync is over when the next op runs.
  // CHECK-LABEL: gpu.func @mma_sync
  // CHECK-NOT: scf.if
  gpu.func @mma_sync(%begin: index, %end: index, %a: !map, %v: !shared, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero mma_sync : !shared, !shared -> !acc
      %t = arith.truncf %s : !acc to !packed
      %d = wgtile.mma %t, %v, %acc mma_sync : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
