// RUN: sparse-opt %s --wgtile-place-epilogue-loads | FileCheck %s
// RUN: sparse-opt %s --wgtile-place-epilogue-loads --wgtile-stage-stores | FileCheck %s --check-prefix=STAGED

!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!narrow = tensor<64x32xbf16, #wgtile.mma<warps = 4>>
!m = memref<?x?xbf16>
#first = affine_map<(d0) -> (d0 * 128)>
#same = affine_map<(d0) -> (d0 * 128 + 32)>
#next = affine_map<(d0) -> (d0 * 128 + 64)>

gpu.module @kernels {
  // The second subtile is read before the first one is stored, and what its place
  // is computed from comes with it. The first stays: there is no store before it.
  // CHECK-LABEL: gpu.func @subtiles
  // CHECK:         wgtile.read
  // CHECK:         %[[SUM:.*]] = arith.addf
  // CHECK-NEXT:    %[[J:.*]] = affine.apply #{{.*}}
  // CHECK-NEXT:    %[[NEXT:.*]] = wgtile.read %arg0[%{{.*}}, %[[J]]]
  // CHECK-NEXT:    wgtile.store %[[SUM]]
  // CHECK-NOT:     wgtile.read
  // CHECK:         wgtile.store %[[NEXT]]
  // The wait for a stage comes after the read.
  // STAGED-LABEL: gpu.func @subtiles
  // STAGED:         wgtile.read
  // STAGED:         %[[NEXT:.*]] = wgtile.read
  // STAGED-NEXT:    wgtile.producer_acquire
  // STAGED:         wgtile.tma_store %
  // STAGED-NOT:     wgtile.read
  // STAGED:         wgtile.ring_store %[[NEXT]]
  gpu.func @subtiles(%c: !m {wgtile.tma_compatible}, %n: index) kernel {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      %t0 = wgtile.read %c[%i, %j0] in_bounds [true, false] : !m -> !t
      %s0 = arith.addf %t0, %t0 : !t
      wgtile.store %s0, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %j1 = affine.apply #next(%j)
      %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }

  // A read in a branch takes a branch along; the condition comes with it.
  // CHECK-LABEL: gpu.func @branch
  // CHECK:         wgtile.prefetch
  // CHECK:         %[[HAS:.*]] = arith.cmpi
  // CHECK-NEXT:    %[[READ:.*]] = scf.if %[[HAS]]
  // CHECK-NEXT:      affine.apply
  // CHECK-NEXT:      wgtile.read
  // CHECK:         } else {
  // CHECK-NEXT:      arith.constant dense<0.000000e+00>
  // CHECK:         wgtile.store
  // CHECK:         scf.if %[[HAS]]
  // CHECK-NOT:       wgtile.read
  // CHECK:           arith.negf %[[READ]]
  gpu.func @branch(%c: !m {wgtile.tma_compatible}, %n: index) kernel {
    %zero = arith.constant dense<1.0> : !t
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %has = arith.cmpi slt, %i, %j : index
      %t1 = scf.if %has -> (!t) {
        %j1 = affine.apply #next(%j)
        %t = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
        %neg = arith.negf %t : !t
        scf.yield %neg : !t
      } else {
        scf.yield %zero : !t
      }
      %j1 = affine.apply #next(%j)
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }

  // A read moves once, before the last staged store before it; the second read
  // after that store stays.
  // CHECK-LABEL: gpu.func @two_stores
  // CHECK:         wgtile.store
  // CHECK-NEXT:    affine.apply
  // CHECK-NEXT:    %[[READ:.*]] = wgtile.read
  // CHECK-NEXT:    wgtile.store
  // CHECK-NEXT:    %[[OTHER:.*]] = wgtile.read
  // CHECK-NEXT:    arith.addf %[[READ]], %[[OTHER]]
  gpu.func @two_stores(%c: !m {wgtile.tma_compatible}, %n: index) kernel {
    %zero = arith.constant dense<0.0> : !t
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %j1 = affine.apply #next(%j)
      %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      %t2 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      %s = arith.addf %t1, %t2 : !t
      wgtile.store %s, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }

  // What a store in between may write is not read before it: the staged store
  // itself, or one by threads after it.
  // CHECK-LABEL: gpu.func @overlap
  // CHECK:         wgtile.store
  // CHECK:         wgtile.read
  gpu.func @overlap(%c: !m {wgtile.tma_compatible}, %n: index) kernel {
    %zero = arith.constant dense<0.0> : !t
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %j1 = affine.apply #same(%j)
      %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @store_between
  // CHECK:         wgtile.store
  // CHECK:         wgtile.store
  // CHECK-NEXT:    wgtile.read
  gpu.func @store_between(%c: !m {wgtile.tma_compatible}, %n: index) kernel {
    %zero = arith.constant dense<0.0> : !t
    %less = arith.constant dense<0.0> : !narrow
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %j1 = affine.apply #next(%j)
      wgtile.store %less, %c[%i, %j1] in_bounds [true, false] : !narrow, !m
      %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }

  // A place that follows from memory is not known before the store; nor does a
  // read move before a store by threads.
  // CHECK-LABEL: gpu.func @from_memory
  // CHECK:         wgtile.store
  // CHECK:         memref.load
  // CHECK:         wgtile.read
  gpu.func @from_memory(%c: !m {wgtile.tma_compatible}, %in: !m, %at: memref<?xindex>, %n: index) kernel {
    %zero = arith.constant dense<0.0> : !t
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %at1 = memref.load %at[%j] : memref<?xindex>
      %j1 = affine.apply #next(%j)
      %t1 = wgtile.read %in[%at1, %j1] in_bounds [true, false] : !m -> !t
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @by_threads
  // CHECK:         wgtile.store
  // CHECK:         wgtile.read
  gpu.func @by_threads(%c: !m, %n: index) kernel {
    %zero = arith.constant dense<0.0> : !t
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %j0 = affine.apply #first(%j)
      wgtile.store %zero, %c[%i, %j0] in_bounds [true, false] : !t, !m
      %j1 = affine.apply #next(%j)
      %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : !m -> !t
      wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, !m
    }
    gpu.return
  }
}
func.func @host(%m: !m, %at: memref<?xindex>, %n: index) {
  wgtile.launch @kernels::@subtiles grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@branch grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@two_stores grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@overlap grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@store_between grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@from_memory grid(%n) args(%m, %m, %at, %n) : !m, !m, memref<?xindex>, index
  wgtile.launch @kernels::@by_threads grid(%n) args(%m, %n) : !m, index
  return
}
