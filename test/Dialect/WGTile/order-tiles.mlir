// RUN: sparse-opt %s --wgtile-schedule --wgtile-persist | FileCheck %s

#next = affine_map<(d0) -> (d0 + 1)>
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @f(
    // CHECK:         wgtile.for_each_tile {{.*}} counter %{{.*}} : memref<?xi32> order %{{.*}} : memref<?xi32> attributes
    gpu.func @f(%crow: memref<?xi32>, %scale: i1, %m: index, %n: index) kernel {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        %0 = memref.load %crow[%i] : memref<?xi32>
        %begin = arith.index_cast %0 : i32 to index
        %i1 = affine.apply #next(%i)
        %1 = memref.load %crow[%i1] : memref<?xi32>
        %stop = arith.index_cast %1 : i32 to index
        %end = arith.select %scale, %stop, %begin : index
        scf.for %p = %begin to %end step %c1 {
        }
      }
      gpu.return
    }

    // All tiles have the same work.
    // CHECK-LABEL: gpu.func @even(
    // CHECK-NOT:     {{ order %}}
    // CHECK:         gpu.return
    gpu.func @even(%m: index, %n: index) kernel {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        scf.for %p = %c1 to %n step %c1 {
        }
      }
      gpu.return
    }

    // Columns are taken together, whatever their work.
    // CHECK-LABEL: gpu.func @by_column(
    // CHECK-NOT:     {{ order %}}
    // CHECK:         gpu.return
    gpu.func @by_column(%m: index, %n: index) kernel {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        scf.for %p = %c1 to %j step %c1 {
        }
      }
      gpu.return
    }

    // The first loop's bounds cannot be computed elsewhere; the second one's
    // share a value with them.
    // CHECK-LABEL: gpu.func @second(
    // CHECK:         wgtile.for_each_tile {{.*}} order
    gpu.func @second(%crow: memref<?xi32>, %x: f32, %m: index, %n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        %0 = memref.load %crow[%i] : memref<?xi32>
        %count = arith.index_cast %0 : i32 to index
        %local = arith.fptosi %x : f32 to i32
        %other = arith.index_cast %local : i32 to index
        scf.for %p = %count to %other step %c1 {
        }
        scf.for %p = %c0 to %count step %c1 {
        }
      }
      gpu.return
    }

    // One tile in each row.
    // CHECK-LABEL: gpu.func @list(
    // CHECK:         wgtile.for_each_tile {{.*}} order
    gpu.func @list(%counts: memref<?xi32>, %m: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %c1) {
        %0 = memref.load %counts[%i] : memref<?xi32>
        %count = arith.index_cast %0 : i32 to index
        scf.for %p = %c0 to %count step %c1 {
        }
      }
      gpu.return
    }

    // Of %sized the size alone counts, which the host passes.
    // CHECK-LABEL: gpu.func @sized(
    // CHECK:         wgtile.for_each_tile {{.*}} order
    gpu.func @sized(%counts: memref<?xi32>, %sized: memref<?x?xf32>, %m: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %size = memref.dim %sized, %c1 : memref<?x?xf32>
      wgtile.for_each_tile (%i, %j) in (%m, %c1) {
        %0 = memref.load %counts[%i] : memref<?xi32>
        %count = arith.index_cast %0 : i32 to index
        %end = arith.minsi %count, %size : index
        scf.for %p = %c0 to %end step %c1 {
        }
      }
      gpu.return
    }

    // The kernel that sorts evaluates the bounds of a tile's loop; %scale, which
    // is the same for all tiles, counts as not 0.
    // CHECK-LABEL: gpu.func @f_order(
    // CHECK-SAME:      %[[ROWS:[a-z0-9]+]]: index, %[[ORDER:[a-z0-9]+]]: memref<?xi32>, %[[CROW:[a-z0-9]+]]: memref<?xi32>) kernel
    // CHECK:         gpu.barrier
    // CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %[[ROWS]]
    // CHECK:           memref.load %[[CROW]][%[[ROW]]]
    // CHECK:           memref.load %[[CROW]]
    // CHECK-NOT:       select
    // CHECK:           memref.atomic_rmw maxs
    // CHECK:         memref.store %{{.*}}, %[[ORDER]]
    // CHECK-LABEL: gpu.func @second_order(
    // CHECK:         memref.load
    // CHECK:         gpu.return

    // Rows of about the same work stay near each other.
    // CHECK-LABEL: gpu.func @list_order(
    // CHECK-SAME:      %[[ROWS:[a-z0-9]+]]: index
    // CHECK:         memref.atomic_rmw maxs
    // CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %[[ROWS]]
    // CHECK:           arith.subi %c15
    // CHECK:           %[[SCALED:.+]] = arith.muli %[[ROW]], %c64
    // CHECK:           %[[PLACE:.+]] = arith.divui %[[SCALED]], %[[ROWS]]
    // CHECK:           %[[CLASS:.+]] = arith.addi %{{.+}}, %[[PLACE]]
    // CHECK:           memref.atomic_rmw addi {{.*}}[%[[CLASS]]]

    // CHECK-LABEL: gpu.func @sized_order(
    // CHECK-SAME:      %[[ROWS:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: memref<?xi32>, %[[COUNTS:[a-z0-9]+]]: memref<?xi32>, %[[SIZE:[a-z0-9]+]]: index) kernel
    // CHECK:           %[[COUNT:.*]] = arith.index_cast
    // CHECK:           arith.minsi %[[COUNT]], %[[SIZE]]
  }

  // CHECK-LABEL: func.func @host
  // CHECK:         %[[ALLOC:.*]] = memref.alloc(%{{.*}}) : memref<?xi32>
  // CHECK:         wgtile.launch @kernels::@f_order grid(%{{.*}}) args(%{{.*}}, %[[ALLOC]], %arg0) preprocess {hint} :
  // CHECK:         wgtile.launch @kernels::@f {{.*}}, %[[ALLOC]])
  // CHECK:         %[[DIM:.*]] = memref.dim %arg5, %c1
  // CHECK:         wgtile.launch @kernels::@sized_order grid(%{{.*}}) args(%{{.*}}, %{{.*}}, %arg0, %[[DIM]]) preprocess {hint} :
  func.func @host(%crow: memref<?xi32>, %scale: i1, %m: index, %n: index, %x: f32, %sized: memref<?x?xf32>) {
    %tiles = arith.muli %m, %n : index
    wgtile.launch @kernels::@f grid(%tiles) args(%crow, %scale, %m, %n)
        : memref<?xi32>, i1, index, index
    wgtile.launch @kernels::@second grid(%tiles) args(%crow, %x, %m, %n)
        : memref<?xi32>, f32, index, index
    wgtile.launch @kernels::@list grid(%m) args(%crow, %m) : memref<?xi32>, index
    wgtile.launch @kernels::@sized grid(%m) args(%crow, %sized, %m) : memref<?xi32>, memref<?x?xf32>, index
    wgtile.launch @kernels::@even grid(%tiles) args(%m, %n) : index, index
    wgtile.launch @kernels::@by_column grid(%tiles) args(%m, %n) : index, index
    return
  }

  // Versions of one kernel share the order; the generic one has none.
  gpu.module @versions attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @v(
    // CHECK:         wgtile.for_each_tile {{.*}} order
    gpu.func @v(%rows: memref<?xi32>, %m: index) kernel attributes {wgtile.tma} {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %m) {
        %0 = memref.load %rows[%i] : memref<?xi32>
        %end = arith.index_cast %0 : i32 to index
        scf.for %p = %c1 to %end step %c1 {
        }
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @v_register_loads(
    // CHECK:         wgtile.for_each_tile {{.*}} order
    gpu.func @v_register_loads(%rows: memref<?xi32>, %m: index) kernel
        attributes {wgtile.tma, wgtile.version_of = @v} {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %m) {
        %0 = memref.load %rows[%i] : memref<?xi32>
        %end = arith.index_cast %0 : i32 to index
        scf.for %p = %c1 to %end step %c1 {
        }
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @v_generic(
    // CHECK-NOT:     {{ order %}}
    // CHECK:         gpu.return
    gpu.func @v_generic(%rows: memref<?xi32>, %m: index) kernel {
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%m, %m) {
        %0 = memref.load %rows[%i] : memref<?xi32>
        %end = arith.index_cast %0 : i32 to index
        scf.for %p = %c1 to %end step %c1 {
        }
      }
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @versions_host
  // CHECK:         %[[ORDER:.*]] = memref.alloc
  // CHECK:         wgtile.launch @versions::@v_order
  // CHECK-NOT:     _order
  // CHECK:         wgtile.launch @versions::@v {{.*}}, %[[ORDER]])
  // CHECK:         wgtile.launch @versions::@v_register_loads {{.*}}, %[[ORDER]])
  // CHECK:         wgtile.launch @versions::@v_generic
  // CHECK-NOT:     %[[ORDER]]{{[,)]}}
  func.func @versions_host(%rows: memref<?xi32>, %m: index, %yes: i1, %no: i1) {
    %tiles = arith.muli %m, %m : index
    scf.if %yes {
      scf.if %no {
        wgtile.launch @versions::@v grid(%tiles) args(%rows, %m) : memref<?xi32>, index
      } else {
        wgtile.launch @versions::@v_register_loads grid(%tiles) args(%rows, %m) : memref<?xi32>, index
      }
    } else {
      wgtile.launch @versions::@v_generic grid(%tiles) args(%rows, %m) {wgtile.version = "generic"} : memref<?xi32>, index
    }
    return
  }
}
