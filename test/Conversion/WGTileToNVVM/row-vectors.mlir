// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

!tile = tensor<64x8xf32, #wgtile.mma<warps = 4>>
!rows = tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>

// A thread has two elements of each of two rows. A partial reduction exchanges
// nothing; what is computed of it is combined with the lanes that share the row,
// one and two lanes away, for each row of a thread.
// CHECK-LABEL: gpu.func @combine
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         %[[SUM0:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[SUM1:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[PART0:.*]] = math.absf %[[SUM0]]
// CHECK-NEXT:    %[[PART1:.*]] = math.absf %[[SUM1]]
// CHECK-NEXT:    %[[OTHER:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[PART0]], %[[C1]],
// CHECK-NEXT:    %[[PAIR:.*]] = arith.addf %[[PART0]], %[[OTHER]]
// CHECK-NEXT:    %[[FAR:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[PAIR]], %[[C2]],
// CHECK-NEXT:    %[[WHOLE0:.*]] = arith.addf %[[PAIR]], %[[FAR]]
// CHECK-NEXT:    nvvm.shfl.sync bfly %[[ALL]], %[[PART1]], %[[C1]],
// CHECK:         nvvm.shfl.sync
// CHECK-NEXT:    %[[WHOLE1:.*]] = arith.addf
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         arith.bitcast %[[WHOLE0]]
// CHECK:         arith.bitcast %[[WHOLE1]]
gpu.module @kernels {
  gpu.func @combine(%m: memref<?x?xf32>, %out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %m[%c0, %c0] in_bounds [true, true] : memref<?x?xf32> -> !tile
    %parts = wgtile.row_reduce addf %t partial : !tile -> !rows
    %positive = math.absf %parts : !rows
    %whole = wgtile.row_combine addf %positive : !rows
    wgtile.store %whole, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }
}

// -----

!rows = tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>

// The kind is the op's.
// CHECK-LABEL: gpu.func @maximum
// CHECK:         nvvm.shfl.sync
// CHECK:         arith.maximumf
// CHECK:         nvvm.shfl.sync
// CHECK:         arith.maximumf
gpu.module @kernels {
  gpu.func @maximum(%m: memref<?xf32>, %out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %parts = wgtile.read %m[%c0] in_bounds [true] : memref<?xf32> -> !rows
    %whole = wgtile.row_combine maximumf %parts : !rows
    wgtile.store %whole, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }
}

// -----

!numbers = tensor<64x16xi32, #wgtile.mma<warps = 4>>
!tile = tensor<64x16xf32, #wgtile.mma<warps = 4>>

// The numbers of a thread's rows and columns, from a first one that neither LLVM
// nor ptxas sees through: row 16 * warp + lane / 4 and 8 below, column 2 * (lane %
// 4), and 1, 8 and 9 to the right.
// CHECK-LABEL: gpu.func @step
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C9:.*]] = arith.constant 9 : i32
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i32
// CHECK:         %[[WARP_ROW:.*]] = arith.muli %{{.*}}, %[[C16]]
// CHECK:         %[[LANE:.*]] = arith.andi
// CHECK:         %[[QUAD:.*]] = arith.shrui %[[LANE]], %[[C2]]
// CHECK:         %[[ROW:.*]] = arith.addi %[[WARP_ROW]], %[[QUAD]]
// CHECK:         %[[R0:.*]] = llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $1;", "=r,r" %[[ROW]]
// CHECK:         %[[R1:.*]] = arith.addi %[[R0]], %[[C8]]
// CHECK:         %[[IN_QUAD:.*]] = arith.andi %[[LANE]], %[[C3]]
// CHECK:         %[[COLUMN:.*]] = arith.muli %[[IN_QUAD]], %[[C2]]
// CHECK:         %[[X0:.*]] = llvm.inline_asm has_side_effects {{.*}} "mov.b32 $0, $1;", "=r,r" %[[COLUMN]]
// CHECK-DAG:     %[[X1:.*]] = arith.addi %[[X0]], %[[C1]]
// CHECK-DAG:     %[[X2:.*]] = arith.addi %[[X0]], %[[C8]]
// CHECK-DAG:     %[[X3:.*]] = arith.addi %[[X0]], %[[C9]]
// CHECK-DAG:     arith.cmpi sle, %[[X0]], %[[R0]]
// CHECK-DAG:     arith.cmpi sle, %[[X1]], %[[R0]]
// CHECK-DAG:     arith.cmpi sle, %[[X0]], %[[R1]]
// CHECK-DAG:     arith.cmpi sle, %[[X2]], %[[R0]]
// CHECK-DAG:     arith.cmpi sle, %[[X3]], %[[R1]]
gpu.module @kernels {
  gpu.func @step(%out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %r = wgtile.step : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
    %rows = wgtile.broadcast %r dimension 0 : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>> -> !numbers
    %c = wgtile.step : tensor<16xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
    %columns = wgtile.broadcast %c dimension 1 : tensor<16xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>> -> !numbers
    %seen = arith.cmpi sle, %columns, %rows : !numbers
    %x = arith.constant dense<1.0> : !tile
    %y = arith.constant dense<2.0> : !tile
    %s = arith.select %seen, %x, %y : tensor<64x16xi1, #wgtile.mma<warps = 4>>, !tile
    %sum = wgtile.row_reduce addf %s : !tile -> tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
    wgtile.store %sum, %out[%c0] in_bounds [true] : tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>, memref<?xf32>
    gpu.return
  }
}

// -----

!numbers = tensor<64x16xi32, #wgtile.mma<warps = 4>>
!tile = tensor<64x16xf32, #wgtile.mma<warps = 4>>
#rows = #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>

// A ramp's start takes the thread's first column, once for each row; an element
// adds a constant, without overflow where the ramp has none.
// CHECK-LABEL: gpu.func @ramp
// CHECK:         %[[R0:.*]] = arith.subi %{{.*}}, %[[FIRST:.*]] : i32
// CHECK:         %[[R1:.*]] = arith.subi %{{.*}}, %[[FIRST]] : i32
// CHECK-DAG:     arith.addi %[[R0]], %c-1_i32 overflow<nsw> : i32
// CHECK-DAG:     arith.addi %[[R1]], %c-1_i32 overflow<nsw> : i32
// CHECK-DAG:     arith.addi %[[R0]], %c-9_i32 overflow<nsw> : i32
gpu.module @kernels {
  gpu.func @ramp(%out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %minus = arith.constant -1 : i32
    %last = wgtile.step : tensor<64xi32, #rows>
    %distance = wgtile.ramp %last, %minus nsw : tensor<64xi32, #rows>, i32 -> !numbers
    %zero = arith.constant dense<0> : !numbers
    %seen = arith.cmpi sge, %distance, %zero : !numbers
    %x = arith.constant dense<1.0> : !tile
    %y = arith.constant dense<2.0> : !tile
    %s = arith.select %seen, %x, %y : tensor<64x16xi1, #wgtile.mma<warps = 4>>, !tile
    %sum = wgtile.row_reduce addf %s : !tile -> tensor<64xf32, #rows>
    wgtile.store %sum, %out[%c0] in_bounds [true] : tensor<64xf32, #rows>, memref<?xf32>
    gpu.return
  }
}

// -----

// Both halves of a fragment's rows, then lanes four, eight and sixteen apart.
// CHECK-LABEL: gpu.func @reduce
// CHECK:         %[[OWN:.*]] = arith.maxnumf
// CHECK:         %[[L4:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[OWN]], %{{.*}}, %{{.*}} : f32 -> f32
// CHECK:         %[[M4:.*]] = arith.maxnumf %[[OWN]], %[[L4]]
// CHECK:         %[[L8:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[M4]], %{{.*}}, %{{.*}} : f32 -> f32
// CHECK:         %[[M8:.*]] = arith.maxnumf %[[M4]], %[[L8]]
// CHECK:         %[[L16:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[M8]], %{{.*}}, %{{.*}} : f32 -> f32
// CHECK:         %[[ALL:.*]] = arith.maxnumf %[[M8]], %[[L16]]
// CHECK-NOT:     nvvm.shfl
// CHECK:         memref.store %[[ALL]]
gpu.module @kernels {
  gpu.func @reduce(%m: memref<?xf32>, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = wgtile.read %m[%c0] in_bounds [true] : memref<?xf32> -> tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
    %maximum = wgtile.tile_reduce maxnumf %v : tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>> -> f32
    memref.store %maximum, %out[] : memref<f32>
    gpu.return
  }
}
