// RUN: sparse-opt %s --wgtile-place-epilogue-loads --remarks-filter=wgtile-place-epilogue-loads -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!m = memref<?x?xbf16>

gpu.module @kernels {
  gpu.func @kernel(%c: !m {wgtile.tma_compatible}, %plain: !m, %at: memref<?xindex>, %row: memref<?xf32>, %n: index) kernel
      attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      scf.for %k = %c0 to %n step %c1 {
        %a = wgtile.load %c[%i, %k] aligned : !m -> !s
        // CHECK: [[@LINE+1]]:14: remark: {{.*}}EpilogueLoads{{.*}}not staged, since it is read in a loop, and not prefetched, since its place does not follow from arithmetic alone
        %0 = wgtile.read %c[%i, %k] in_bounds [true, false] aligned : !m -> !t
        // CHECK: [[@LINE+1]]:14: remark: {{.*}}EpilogueLoads{{.*}}not staged, since it is not of aligned rows of the swizzle, and not prefetched, since it is read in a loop
        %1 = wgtile.read %c[%i, %j] in_bounds [true, false] : !m -> !t
      }
      %at1 = memref.load %at[%i] : memref<?xindex>
      // CHECK: [[@LINE+1]]:12: remark: {{.*}}not staged, since it is not of aligned rows of the swizzle, and not prefetched, since its place does not follow from arithmetic alone
      %2 = wgtile.read %c[%i, %at1] in_bounds [true, false] : !m -> !t
      // CHECK: [[@LINE+1]]:12: remark: {{.*}}not staged, since TMA cannot take its source, and not prefetched, since TMA cannot take its source
      %3 = wgtile.read %plain[%i, %j] in_bounds [true, false] : !m -> !t
      // CHECK: [[@LINE+1]]:12: remark: {{.*}}not staged, since no loop of the tile has stages of its type, and not prefetched, since its place does not follow from arithmetic alone
      %4 = wgtile.read %c[%i, %at1] in_bounds [true, false] aligned
          : !m -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
      // CHECK: [[@LINE+1]]:12: remark: {{.*}}not staged, since a store may have to come first, and not prefetched, since its place does not follow from arithmetic alone
      %5 = wgtile.read %c[%at1, %j] in_bounds [true, false] aligned : !m -> !t
      wgtile.store %5, %c[%i, %j] in_bounds [true, false] aligned : !t, !m
      // CHECK: [[@LINE+1]]:13: remark: {{.*}}not staged, since TMA pads by zeros, and not prefetched, since its place does not follow from arithmetic alone
      %10 = wgtile.read %c[%at1, %j] in_bounds [true, false] aligned padding 1.0 : bf16 : !m -> !t
      // Staged, or prefetched, or no tile.
      %6 = wgtile.read %c[%i, %j] in_bounds [true, false] aligned : !m -> !t
      %7 = wgtile.read %c[%i, %j] in_bounds [true, false] : !m -> !t
      %8 = wgtile.read %row[%i] in_bounds [true] : memref<?xf32> -> tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
    }
    gpu.return
  }
  // Without TMA for its loads, or with several tiles that share the ring.
  // CHECK: remark: {{.*}}not staged, since the kernel's loads are not by TMA
  gpu.func @generic(%m: !m, %n: index) kernel {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %0 = wgtile.read %m[%i, %j] in_bounds [true, false] : !m -> !t
    }
    gpu.return
  }
  // CHECK: remark: {{.*}}not staged, since several consumer groups share the loop's stages
  gpu.func @groups(%m: !m, %n: index) kernel attributes {wgtile.tma} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2, 1>} {
      %0 = wgtile.read %m[%i, %j] in_bounds [true, false] : !m -> !t
    }
    gpu.return
  }
}
func.func @host(%m: !m, %at: memref<?xindex>, %row: memref<?xf32>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%m, %m, %at, %row, %n) : !m, !m, memref<?xindex>, memref<?xf32>, index
  wgtile.launch @kernels::@generic grid(%n) args(%m, %n) : !m, index
  wgtile.launch @kernels::@groups grid(%n) args(%m, %n) : !m, index
  return
}
