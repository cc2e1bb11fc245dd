// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-place-waits))' | FileCheck %s

// CHECK-LABEL: gpu.func @accumulate
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           wgtile.mma {{.*}} async :
// CHECK-NOT:       wgtile.wait_mma
// CHECK:         }
// CHECK:         %[[W:.*]] = wgtile.wait_mma %[[R]] pending 0 : tensor<64x128xf32>
// CHECK:         wgtile.store %[[W]]
gpu.module @kernels {
  gpu.func @accumulate(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                       %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A product whose result is used in its own turn is waited for there.
// CHECK-LABEL: gpu.func @used_in_turn
// CHECK:           %[[D:.*]] = wgtile.mma {{.*}} async :
// CHECK:           %[[W:.*]] = wgtile.wait_mma %[[D]] pending 0
// CHECK:           %[[E:.*]] = arith.addf %[[W]], %[[W]]
// CHECK:           scf.yield %[[E]]
gpu.module @kernels {
  gpu.func @used_in_turn(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                         %zero: tensor<64x128xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      %e = arith.addf %d, %d : tensor<64x128xf32>
      scf.yield %e : tensor<64x128xf32>
    }
    gpu.return
  }
}

// -----

// Of two products the older is needed first: the younger stays pending.
// CHECK-LABEL: gpu.func @older_first
// CHECK:         %[[D:.*]] = wgtile.mma {{.*}} async :
// CHECK:         %[[E:.*]] = wgtile.mma {{.*}} async :
// CHECK:         %[[V:.*]] = wgtile.wait_mma %[[D]] pending 1
// CHECK:         arith.negf %[[V]]
// CHECK:         %[[W:.*]] = wgtile.wait_mma %[[E]] pending 0
// CHECK:         arith.negf %[[W]]
gpu.module @kernels {
  gpu.func @older_first(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                        %zero: tensor<64x128xf32>) kernel {
    %d = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    %e = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    %0 = arith.negf %d : tensor<64x128xf32>
    %1 = arith.negf %e : tensor<64x128xf32>
    gpu.return
  }
}

// -----

// On one of two ways nothing is issued after the product that is needed.
// CHECK-LABEL: gpu.func @fewest_of_two_ways
// CHECK:         %[[D:.*]] = wgtile.mma {{.*}} async :
// CHECK:         %[[IF:.*]] = scf.if
// CHECK:           wgtile.mma {{.*}} async :
// CHECK-NOT:       wait_mma
// CHECK:         %[[V:.*]] = wgtile.wait_mma %[[D]] pending 0
// CHECK:         arith.negf %[[V]]
// CHECK:         %[[W:.*]] = wgtile.wait_mma %[[IF]] pending 0
// CHECK:         arith.negf %[[W]]
gpu.module @kernels {
  gpu.func @fewest_of_two_ways(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                               %zero: tensor<64x128xf32>, %p: i1) kernel {
    %d = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    %e = scf.if %p -> tensor<64x128xf32> {
      %f = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %f : tensor<64x128xf32>
    } else {
      scf.yield %zero : tensor<64x128xf32>
    }
    %0 = arith.negf %d : tensor<64x128xf32>
    %1 = arith.negf %e : tensor<64x128xf32>
    gpu.return
  }
}

// -----

// Uses in a branch: the wait comes before the branch, once for both uses.
// CHECK-LABEL: gpu.func @used_in_branch
// CHECK:         %[[D:.*]] = wgtile.mma {{.*}} async :
// CHECK-NEXT:    %[[V:.*]] = wgtile.wait_mma %[[D]] pending 0
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      wgtile.store %[[V]]
// CHECK:         wgtile.store %[[V]]
// CHECK-NOT:     wait_mma
gpu.module @kernels {
  gpu.func @used_in_branch(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                           %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %d = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    scf.if %p {
      wgtile.store %d, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    }
    wgtile.store %d, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A loop that issues the product of its next turn: this turn's waits for its own
// and leaves the next one pending.
// CHECK-LABEL: gpu.func @next_turn
// CHECK:         %[[FIRST:.*]] = wgtile.mma {{.*}} async :
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[FIRST]])
// CHECK:           %[[NEXT:.*]] = wgtile.mma {{.*}} async :
// CHECK:           %[[V:.*]] = wgtile.wait_mma %[[S]] pending 1
// CHECK:           wgtile.store %[[V]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[W:.*]] = wgtile.wait_mma %[[R]] pending 0
// CHECK:         wgtile.store %[[W]]
gpu.module @kernels {
  gpu.func @next_turn(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                      %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (tensor<64x128xf32>) {
      %next = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      wgtile.store %s, %out[%i, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}
