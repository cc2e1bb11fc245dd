// RUN: sparse-opt %s --wgtile-persist | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @two
    // CHECK-SAME:      %[[COUNTER:[a-z0-9]+]]: memref<?xi32>
    // CHECK:         %[[OWN:.*]] = wgtile.ring : !wgtile.ring<2, [i32]>
    // CHECK:         wgtile.for_each_tile {{.*}} counter %[[COUNTER]] : memref<?xi32> attributes {persistent = 4 : i64}
    // CHECK-NEXT:      %[[NUMBER:.*]] = wgtile.next_tile
    // CHECK-NEXT:      %[[EMPTY:.*]] = wgtile.producer_acquire %[[OWN]] :
    // CHECK-NEXT:      wgtile.ring_store %[[NUMBER]], %[[OWN]][%[[EMPTY]]] 0 :
    // CHECK-NEXT:      wgtile.producer_commit %[[OWN]][%[[EMPTY]]] :
    // CHECK-NEXT:      %[[FULL:.*]] = wgtile.consumer_wait %[[OWN]] :
    // CHECK-NEXT:      %[[TOLD:.*]] = wgtile.ring_load %[[OWN]][%[[FULL]]] 0 :
    // CHECK-NEXT:      wgtile.consumer_release %[[OWN]][%[[FULL]]] :
    // CHECK-NEXT:      wgtile.end %[[TOLD]] : i32
    gpu.func @two(%n: index) kernel 
        attributes {wgtile.schedule = #wgtile.schedule<ctas_per_sm = 2, persistent = true, dynamic = true, raster_group = 4>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
    // Every n-th tile, without a counter.
    // CHECK-LABEL: gpu.func @static
    // CHECK:         wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) attributes {persistent = 7 : i64}
    gpu.func @static(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, dynamic = false, raster_group = 7>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @descending
    // CHECK:         wgtile.for_each_tile {{.*}} attributes {descending, persistent = 4 : i64}
    gpu.func @descending(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, raster_group = 4, tile_order = descending>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @one_loop
    // CHECK-NOT:     persistent
    gpu.func @one_loop(%n: index) kernel {
      wgtile.for_each_tile (%i) in (%n) {
      }
      gpu.return
    }
    // The producer takes the tiles and tells the consumers.
    // CHECK-LABEL: gpu.func @roles
    // CHECK:         %[[RING:.*]] = wgtile.ring warps 8 : !wgtile.ring<2, [i32]>
    // CHECK-NEXT:    wgtile.roles producer
    // CHECK:         wgtile.for_each_tile
    // CHECK-NEXT:      %[[NEXT:.*]] = wgtile.next_tile
    // CHECK-NEXT:      memref.store
    // CHECK-NEXT:      %[[EMPTY:.*]] = wgtile.producer_acquire %[[RING]] :
    // CHECK-NEXT:      wgtile.ring_store %[[NEXT]], %[[RING]][%[[EMPTY]]] 0 :
    // CHECK-NEXT:      wgtile.producer_commit %[[RING]][%[[EMPTY]]] :
    // CHECK-NEXT:      wgtile.end %[[NEXT]] : i32
    // CHECK-NEXT:    }
    // CHECK:         consumer
    // CHECK:         wgtile.for_each_tile
    // CHECK-NEXT:      memref.store
    // CHECK-NEXT:      %[[FULL:.*]] = wgtile.consumer_wait %[[RING]] :
    // CHECK-NEXT:      %[[TOLD:.*]] = wgtile.ring_load %[[RING]][%[[FULL]]] 0 :
    // CHECK-NEXT:      wgtile.consumer_release %[[RING]][%[[FULL]]] :
    // CHECK-NEXT:      wgtile.end %[[TOLD]] : i32
    // CHECK-NEXT:    }
    gpu.func @roles(%n: index, %m: memref<?xindex>) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, dynamic = true, raster_group = 4>} {
      wgtile.roles producer warps 4 registers 0 {
        wgtile.for_each_tile (%i, %j) in (%n, %n) {
          memref.store %i, %m[%j] : memref<?xindex>
        }
      }, consumer warps 8 registers 0 consumer_groups 1 {
        wgtile.for_each_tile (%i, %j) in (%n, %n) {
          memref.store %i, %m[%j] : memref<?xindex>
        }
      }
      gpu.return
    }
    // Where copies wait for numbers that the tile's program reads, the next
    // tile's is taken behind the first ones, on both sides of a branch.
    // CHECK-LABEL: gpu.func @lists
    // CHECK:         wgtile.roles producer
    // CHECK-NEXT:      wgtile.for_each_tile
    // CHECK-NEXT:        memref.load
    // CHECK:             %[[BOTH:.*]]:2 = scf.if %{{.*}} -> (index, i32) {
    // CHECK:               wgtile.producer_commit
    // CHECK-NEXT:          %[[THEN:.*]] = wgtile.next_tile
    // CHECK-NEXT:          scf.for
    // CHECK:               scf.yield %{{.*}}, %[[THEN]] : index, i32
    // CHECK-NEXT:        } else {
    // CHECK-NEXT:          %[[ELSE:.*]] = wgtile.next_tile
    // CHECK-NEXT:          scf.yield %{{.*}}, %[[ELSE]] : index, i32
    // CHECK-NEXT:        }
    // CHECK-NEXT:        memref.store %[[BOTH]]#0
    // CHECK:             wgtile.ring_store %[[BOTH]]#1
    // CHECK:             wgtile.end %[[BOTH]]#1 : i32
    gpu.func @lists(%n: index, %m: memref<?xindex>, %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, dynamic = true, raster_group = 4>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %ring = wgtile.ring warps 4 : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
      wgtile.roles producer warps 4 registers 0 {
        wgtile.for_each_tile (%i, %j) in (%n, %n) {
          %count = memref.load %m[%i] : memref<?xindex>
          %some = arith.cmpi sgt, %count, %c0 : index
          %last = scf.if %some -> (index) {
            %s = wgtile.producer_acquire %ring : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
            wgtile.tma_load %ring[%s] 0, %map[%i, %c0] : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
            wgtile.producer_commit %ring[%s] : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
            scf.for %k = %c1 to %count step %c1 {
              %t = wgtile.producer_acquire %ring : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
              wgtile.tma_load %ring[%t] 0, %map[%k, %c0] : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
              wgtile.producer_commit %ring[%t] : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
            }
            scf.yield %count : index
          } else {
            scf.yield %c0 : index
          }
          memref.store %last, %m[%j] : memref<?xindex>
        }
      }, consumer warps 4 registers 0 consumer_groups 1 {
        wgtile.for_each_tile (%i, %j) in (%n, %n) {
        }
      }
      gpu.return
    }
  }
  // CHECK-LABEL: func.func @host
  // CHECK:         %[[C2:.*]] = arith.constant 2 : index
  // CHECK:         %[[SMS:.*]] = wgtile.sm_count
  // CHECK:         %[[BLOCKS:.*]] = arith.muli %[[SMS]], %{{.*}} : index
  // CHECK:         %[[FITS:.*]] = arith.cmpi sle, %[[N:.*]], %c2147483647
  // CHECK:         %[[LEAST:.*]] = arith.minsi %[[N]], %[[BLOCKS]] : index
  // CHECK:         %[[GRID:.*]] = arith.select %[[FITS]], %[[LEAST]], %[[N]]
  // CHECK:         %[[MORE:.*]] = arith.cmpi sgt, %[[N]], %[[GRID]]
  // CHECK:         %[[SIZE:.*]] = arith.select %[[MORE]], %c1, %c0
  // CHECK:         %[[COUNTER:.*]] = memref.alloc(%[[SIZE]]) {wgtile.left_zero, wgtile.zeroed} : memref<?xi32>
  // CHECK:         wgtile.launch @kernels::@two grid(%[[GRID]]) args(%[[N]], %[[COUNTER]])
  // CHECK:         wgtile.launch @kernels::@one_loop grid(%arg0)
  func.func @host(%n: index, %m: memref<?xindex>, %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) {
    %c2 = arith.constant 2 : index
    wgtile.launch @kernels::@two grid(%n) args(%n) : index
    wgtile.launch @kernels::@one_loop grid(%n) args(%n) : index
    wgtile.launch @kernels::@roles grid(%n) args(%n, %m) : index, memref<?xindex>
    wgtile.launch @kernels::@lists grid(%n) args(%n, %m, %map) : index, memref<?xindex>, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    wgtile.launch @kernels::@static grid(%n) args(%n) : index
    wgtile.launch @kernels::@descending grid(%n) args(%n) : index
    return
  }
}
