// RUN: sparse-opt %s --wgtile-split-k | FileCheck %s

!tile = tensor<128x16xf32, #wgtile.mma<warps = 8>>
!half = tensor<128x16xbf16, #wgtile.mma<warps = 8>>
!left = !wgtile.shared<128x64xbf16, swizzle = 128>
!right = !wgtile.shared<16x64xbf16, swizzle = 128>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Each CTA of the cluster has a part of the range; the first runs the
    // epilogue with the sum.
    // CHECK-LABEL: gpu.func @shared
    // CHECK-SAME:      known_cluster_size = array<i32: 4, 1, 1>
    // CHECK-DAG:     %[[BEGIN:.+]] = arith.index_cast %{{.+}} : i32 to index
    // CHECK:         %[[RANK:.+]] = gpu.cluster_block_id x
    // CHECK:         %[[DIFFERENCE:.+]] = arith.subi %[[END:.+]], %[[BEGIN]]
    // CHECK:         %[[LENGTH:.+]] = arith.maxsi %[[DIFFERENCE]], %{{.+}}
    // CHECK:         %[[NEXT:.+]] = arith.addi %[[RANK]], %{{.+}}
    // CHECK:         %[[P1:.+]] = arith.muli %[[LENGTH]], %[[NEXT]]
    // CHECK:         %[[D1:.+]] = arith.divui %[[P1]], %{{.+}}
    // CHECK:         %[[TO:.+]] = arith.addi %[[BEGIN]], %[[D1]]
    // CHECK:         %[[P0:.+]] = arith.muli %[[LENGTH]], %[[RANK]]
    // CHECK:         %[[D0:.+]] = arith.divui %[[P0]], %{{.+}}
    // CHECK:         %[[FROM:.+]] = arith.addi %[[BEGIN]], %[[D0]]
    // CHECK:         %[[PART:.+]] = scf.for %{{.+}} = %[[FROM]] to %[[TO]]
    // CHECK:         %[[SUM:.+]] = wgtile.cluster_reduce %[[PART]]
    // CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[RANK]], %{{.+}} : index
    // CHECK:         scf.if %[[FIRST]] {
    // CHECK:           %[[RESULT:.+]] = arith.truncf %[[SUM]]
    // CHECK:           wgtile.store %[[RESULT]]
    // CHECK-NEXT:    }
    // CHECK-NEXT:  }
    gpu.func @shared(%n: index, %crow: memref<?xi32>, %out: memref<?x?xbf16>, %a: !left, %b: !right) kernel
        attributes {wgtile.schedule = #wgtile.schedule<split_k = 4>} {
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !tile
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %0 = memref.load %crow[%i] : memref<?xi32>
        %begin = arith.index_cast %0 : i32 to index
        %next = arith.addi %i, %c1 : index
        %1 = memref.load %crow[%next] : memref<?xi32>
        %end = arith.index_cast %1 : i32 to index
        %sum = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!tile) {
          %d = wgtile.mma %a, %b, %acc transpose_b : !left, !right -> !tile
          scf.yield %d : !tile
        } {wgtile.block_loop}
        %r = arith.truncf %sum : !tile to !half
        wgtile.store %r, %out[%i, %j] in_bounds [false, false] : !half, memref<?x?xbf16>
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @alone
    // CHECK-NOT:     cluster
    // CHECK:         gpu.return
    gpu.func @alone(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<split_k = 1>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK-SAME:      (%[[N:[a-z0-9]+]]: index
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : index
  // CHECK:         %[[GRID:.+]] = arith.muli %[[N]], %[[FOUR]]
  // CHECK:         wgtile.launch @kernels::@shared grid(%[[GRID]])
  // CHECK:         wgtile.launch @kernels::@alone grid(%[[N]])
  func.func @host(%n: index, %crow: memref<?xi32>, %out: memref<?x?xbf16>, %a: !left, %b: !right) {
    wgtile.launch @kernels::@shared grid(%n) args(%n, %crow, %out, %a, %b)
        : index, memref<?xi32>, memref<?x?xbf16>, !left, !right
    wgtile.launch @kernels::@alone grid(%n) args(%n) : index
    return
  }
}
