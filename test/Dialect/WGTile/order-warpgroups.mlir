// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-order-warpgroups))' | FileCheck %s
// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-order-warpgroups))' \
// RUN:   --remarks-filter=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!left = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

gpu.module @kernels {
  // Both loops of one that was cut: a warpgroup's turn is from before the first
  // asynchronous MMA of an iteration to after the last one. The order is
  // initialized once.
  // CHECK-LABEL: gpu.func @cut_loop
  // CHECK:         wgtile.roles producer
  // CHECK-NOT:       wgtile.order
  // CHECK:         }, consumer warps 8 registers 240 consumer_groups 1 {
  // CHECK-NEXT:      wgtile.order_init warpgroups 2
  // CHECK-NOT:       wgtile.order
  // CHECK:           wgtile.for_each_tile
  // CHECK:             scf.for
  // CHECK-NEXT:          %{{.+}} = math.absf
  // CHECK-NEXT:          wgtile.order_wait warpgroups 2
  // CHECK-NEXT:          %{{.+}} = wgtile.mma
  // CHECK-NEXT:          %{{.+}} = wgtile.mma
  // CHECK-NEXT:          wgtile.order_arrive warpgroups 2
  // CHECK-NEXT:          %{{.+}} = wgtile.warpgroup_mma_wait
  // CHECK:             } {wgtile.block_loop}
  // CHECK:             scf.for
  // CHECK-NEXT:          wgtile.order_wait warpgroups 2
  // CHECK-NEXT:          %{{.+}} = wgtile.mma
  // CHECK-NEXT:          %{{.+}} = wgtile.mma
  // CHECK-NEXT:          wgtile.order_arrive warpgroups 2
  // CHECK:             } {wgtile.block_loop}
  // CHECK-NOT:     wgtile.order
  // CHECK:         gpu.return
  gpu.func @cut_loop(%q: !a, %k: !b, %v: !b, %zero: !acc, %t0: !left, %x: f32, %n: index, %middle: index) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>, wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%n) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r:2 = scf.for %p = %c0 to %middle step %c1 iter_args(%o = %zero, %t = %t0) -> (!acc, !left) {
          %y = math.absf %x : f32
          %s = wgtile.mma_async %q, %k, %zero : !a, !b -> !acc
          %d = wgtile.mma_async %t, %v, %o : !left, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %s pending 1 : !acc
          %next = arith.truncf %w : !acc to !left
          %u:2 = wgtile.warpgroup_mma_wait %d, %t pending 0 : !acc, !left
          scf.yield %u#0, %next : !acc, !left
        } {wgtile.block_loop}
        %e:2 = scf.for %p = %middle to %n step %c1 iter_args(%o = %r#0, %t = %r#1) -> (!acc, !left) {
          %s = wgtile.mma_async %q, %k, %zero : !a, !b -> !acc
          %d = wgtile.mma_async %t, %v, %o : !left, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %s pending 1 : !acc
          %next = arith.truncf %w : !acc to !left
          %u:2 = wgtile.warpgroup_mma_wait %d, %t pending 0 : !acc, !left
          scf.yield %u#0, %next : !acc, !left
        } {wgtile.block_loop}
      }
    }
    gpu.return
  }

  // Three warpgroups take turns, too.
  // CHECK-LABEL: gpu.func @three
  // CHECK:         wgtile.order_init warpgroups 3
  // CHECK:         wgtile.order_wait warpgroups 3
  // CHECK:         wgtile.order_arrive warpgroups 3
  gpu.func @three(%q: !wgtile.shared<192x64xbf16, swizzle = 128>, %k: !b, %v: !b,
                  %zero: tensor<192x64xf32, #wgtile.mma<warps = 12>>,
                  %t0: tensor<192x64xbf16, #wgtile.mma<warps = 12>>, %n: index) kernel
      attributes {known_block_size = array<i32: 512, 1, 1>, wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 12 registers 160 consumer_groups 1 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero, %t = %t0)
          -> (tensor<192x64xf32, #wgtile.mma<warps = 12>>, tensor<192x64xbf16, #wgtile.mma<warps = 12>>) {
        %s = wgtile.mma_async %q, %k, %zero
            : !wgtile.shared<192x64xbf16, swizzle = 128>, !b -> tensor<192x64xf32, #wgtile.mma<warps = 12>>
        %d = wgtile.mma_async %t, %v, %o
            : tensor<192x64xbf16, #wgtile.mma<warps = 12>>, !b -> tensor<192x64xf32, #wgtile.mma<warps = 12>>
        %w:3 = wgtile.warpgroup_mma_wait %s, %d, %t pending 0
            : tensor<192x64xf32, #wgtile.mma<warps = 12>>, tensor<192x64xf32, #wgtile.mma<warps = 12>>,
              tensor<192x64xbf16, #wgtile.mma<warps = 12>>
        %next = arith.truncf %w#0
            : tensor<192x64xf32, #wgtile.mma<warps = 12>> to tensor<192x64xbf16, #wgtile.mma<warps = 12>>
        scf.yield %w#1, %next
            : tensor<192x64xf32, #wgtile.mma<warps = 12>>, tensor<192x64xbf16, #wgtile.mma<warps = 12>>
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // There is nobody to take turns with.
  // CHECK-LABEL: gpu.func @one_warpgroup
  // CHECK-NOT:     wgtile.order
  // CHECK:         gpu.return
  gpu.func @one_warpgroup(%q: !b, %v: !b, %zero: tensor<64x64xf32, #wgtile.mma<warps = 4>>,
                          %t0: tensor<64x64xbf16, #wgtile.mma<warps = 4>>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 4 registers 240 consumer_groups 1 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero, %t = %t0)
          -> (tensor<64x64xf32, #wgtile.mma<warps = 4>>, tensor<64x64xbf16, #wgtile.mma<warps = 4>>) {
        %s = wgtile.mma_async %q, %v, %zero : !b, !b -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
        %d = wgtile.mma_async %t, %v, %o
            : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, !b -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
        %w:3 = wgtile.warpgroup_mma_wait %s, %d, %t pending 0
            : tensor<64x64xf32, #wgtile.mma<warps = 4>>, tensor<64x64xf32, #wgtile.mma<warps = 4>>,
              tensor<64x64xbf16, #wgtile.mma<warps = 4>>
        %next = arith.truncf %w#0 : tensor<64x64xf32, #wgtile.mma<warps = 4>> to tensor<64x64xbf16, #wgtile.mma<warps = 4>>
        scf.yield %w#1, %next : tensor<64x64xf32, #wgtile.mma<warps = 4>>, tensor<64x64xbf16, #wgtile.mma<warps = 4>>
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // Groups of consumers pass over different iterations.
  // CHECK-LABEL: gpu.func @groups
  // CHECK-NOT:     wgtile.order
  // CHECK:         gpu.return
  gpu.func @groups(%q: !a, %k: !b, %v: !b, %zero: !acc, %t0: !left, %n: index) kernel
      attributes {known_block_size = array<i32: 640, 1, 1>, wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 16 registers 112 consumer_groups 2 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero, %t = %t0) -> (!acc, !left) {
        %s = wgtile.mma_async %q, %k, %zero : !a, !b -> !acc
        %d = wgtile.mma_async %t, %v, %o : !left, !b -> !acc
        %w:3 = wgtile.warpgroup_mma_wait %s, %d, %t pending 0 : !acc, !acc, !left
        %next = arith.truncf %w#0 : !acc to !left
        scf.yield %w#1, %next : !acc, !left
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // One MMA an iteration, MMAs that are waited for at once, and two of which no
  // one starts with what the iteration before computed. Nor has a loop over something else an order.
  // REMARK: remark: {{.*}}OrderWarpgroups{{.*}}warpgroups have no order: no block loop of the role has two MMAs in a chain that overlap
  // CHECK-LABEL: gpu.func @nothing_between
  // CHECK-NOT:     wgtile.order
  // CHECK:         gpu.return
  gpu.func @nothing_between(%q: !a, %k: !b, %v: !b, %zero: !acc, %t0: !left, %n: index) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>, wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero) -> (!acc) {
        %d = wgtile.mma_async %q, %k, %o : !a, !b -> !acc
        %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
        scf.yield %w : !acc
      } {wgtile.block_loop}
      %waited:2 = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero, %t = %t0) -> (!acc, !left) {
        %s = wgtile.mma %q, %k, %zero : !a, !b -> !acc
        %d = wgtile.mma %t, %v, %o : !left, !b -> !acc
        %next = arith.truncf %s : !acc to !left
        scf.yield %d, %next : !acc, !left
      } {wgtile.block_loop}
      %chain = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero) -> (!acc) {
        %s = wgtile.mma_async %q, %k, %zero : !a, !b -> !acc
        %w = wgtile.warpgroup_mma_wait %s pending 0 : !acc
        %t = arith.truncf %w : !acc to !left
        %d = wgtile.mma_async %t, %v, %o : !left, !b -> !acc
        %u:2 = wgtile.warpgroup_mma_wait %d, %t pending 0 : !acc, !left
        scf.yield %u#0 : !acc
      } {wgtile.block_loop}
      %other:2 = scf.for %p = %c0 to %n step %c1 iter_args(%o = %zero, %t = %t0) -> (!acc, !left) {
        %s = wgtile.mma_async %q, %k, %zero : !a, !b -> !acc
        %d = wgtile.mma_async %t, %v, %o : !left, !b -> !acc
        %w:3 = wgtile.warpgroup_mma_wait %s, %d, %t pending 0 : !acc, !acc, !left
        %next = arith.truncf %w#0 : !acc to !left
        scf.yield %w#1, %next : !acc, !left
      }
    }
    gpu.return
  }
}
