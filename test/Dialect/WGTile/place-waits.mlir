// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-place-waits))' | FileCheck %s

// CHECK-LABEL: gpu.func @accumulate
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           wgtile.mma_async {{.*}} :
// CHECK-NOT:       wgtile.warpgroup_mma_wait
// CHECK:         }
// CHECK:         %[[W:.*]] = wgtile.warpgroup_mma_wait %[[R]] pending 0 : tensor<64x128xf32>
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
// CHECK:           %[[D:.*]] = wgtile.mma_async {{.*}} :
// CHECK:           %[[W:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 0
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
// CHECK:         %[[D:.*]] = wgtile.mma_async {{.*}} :
// CHECK:         %[[E:.*]] = wgtile.mma_async {{.*}} :
// CHECK:         %[[V:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 1
// CHECK:         arith.negf %[[V]]
// CHECK:         %[[W:.*]] = wgtile.warpgroup_mma_wait %[[E]] pending 0
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
// CHECK:         %[[D:.*]] = wgtile.mma_async {{.*}} :
// CHECK:         %[[IF:.*]] = scf.if
// CHECK:           wgtile.mma_async {{.*}} :
// CHECK-NOT:       warpgroup_mma_wait
// CHECK:         %[[V:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 0
// CHECK:         arith.negf %[[V]]
// CHECK:         %[[W:.*]] = wgtile.warpgroup_mma_wait %[[IF]] pending 0
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
// CHECK:         %[[D:.*]] = wgtile.mma_async {{.*}} :
// CHECK-NEXT:    %[[V:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 0
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      wgtile.store %[[V]]
// CHECK:         wgtile.store %[[V]]
// CHECK-NOT:     warpgroup_mma_wait
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
// CHECK:         %[[FIRST:.*]] = wgtile.mma_async {{.*}} :
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[FIRST]])
// CHECK:           %[[NEXT:.*]] = wgtile.mma_async {{.*}} :
// CHECK:           %[[V:.*]] = wgtile.warpgroup_mma_wait %[[S]] pending 1
// CHECK:           wgtile.store %[[V]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[W:.*]] = wgtile.warpgroup_mma_wait %[[R]] pending 0
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

// -----

// A left operand in registers keeps them until the product is over: the wait for
// the result has it as an operand, and later uses are of what that passes on.
// CHECK-LABEL: gpu.func @register_operand
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<64x128xbf16>
// CHECK:         %[[D:.*]] = wgtile.mma_async %[[T]], {{.*}} :
// CHECK:         %[[W:.*]]:2 = wgtile.warpgroup_mma_wait %[[D]], %[[T]] pending 0 : tensor<64x128xf32>, tensor<64x128xbf16>
// CHECK:         arith.negf %[[W]]#0
// CHECK:         arith.extf %[[W]]#1
// CHECK-NOT:     warpgroup_mma_wait
gpu.module @kernels {
  gpu.func @register_operand(%t: tensor<64x128xbf16>, %b: !wgtile.shared<128x128xbf16>,
                             %zero: tensor<64x128xf32>) kernel {
    %d = wgtile.mma %t, %b, %zero : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
    %0 = arith.negf %d : tensor<64x128xf32>
    %1 = arith.extf %t : tensor<64x128xbf16> to tensor<64x128xf32>
    gpu.return
  }
}

// -----

// The operand is used before the result: a wait of its own comes before that, and
// the second product reads what it passes on.
// CHECK-LABEL: gpu.func @used_behind
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<64x128xbf16>
// CHECK:         arith.negf %[[T]]
// CHECK-NEXT:    %[[D:.*]] = wgtile.mma_async %[[T]], {{.*}} :
// CHECK-NEXT:    %[[V:.*]] = wgtile.warpgroup_mma_wait %[[T]] pending 0 : tensor<64x128xbf16>
// CHECK-NEXT:    arith.extf %[[V]]
// CHECK-NEXT:    %[[E:.*]] = wgtile.mma_async %[[V]], %{{.*}}, %[[D]] :
// CHECK-NEXT:    %[[W:.*]]:2 = wgtile.warpgroup_mma_wait %[[E]], %[[V]] pending 0
// CHECK-NEXT:    arith.negf %[[W]]#0
gpu.module @kernels {
  gpu.func @used_behind(%t: tensor<64x128xbf16>, %b: !wgtile.shared<128x128xbf16>,
                        %zero: tensor<64x128xf32>) kernel {
    %before = arith.negf %t : tensor<64x128xbf16>
    %d = wgtile.mma %t, %b, %zero : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
    %0 = arith.extf %t : tensor<64x128xbf16> to tensor<64x128xf32>
    %e = wgtile.mma %t, %b, %d : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
    %1 = arith.negf %e : tensor<64x128xf32>
    gpu.return
  }
}

// -----

// Two products may read the operand side by side.
// CHECK-LABEL: gpu.func @two_readers
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<64x128xbf16>
// CHECK:         %[[D:.*]] = wgtile.mma_async %[[T]], {{.*}} :
// CHECK:         %[[E:.*]] = wgtile.mma_async %[[T]], {{.*}} :
// CHECK:         %[[V:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 1 : tensor<64x128xf32>
// CHECK:         arith.negf %[[V]]
// CHECK:         %[[W:.*]]:2 = wgtile.warpgroup_mma_wait %[[E]], %[[T]] pending 0
// CHECK:         arith.negf %[[W]]#0
// CHECK-NOT:     warpgroup_mma_wait
gpu.module @kernels {
  gpu.func @two_readers(%t: tensor<64x128xbf16>, %b: !wgtile.shared<128x128xbf16>,
                        %zero: tensor<64x128xf32>) kernel {
    %d = wgtile.mma %t, %b, %zero : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
    %e = wgtile.mma %t, %b, %zero : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
    %0 = arith.negf %d : tensor<64x128xf32>
    %1 = arith.negf %e : tensor<64x128xf32>
    gpu.return
  }
}

// -----

// As wgtile-overlap leaves a chain of two products: the next block's first one is
// waited for while the second still runs, and that one before the next block's
// operand takes the place of its own.
// CHECK-LABEL: gpu.func @chain
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK-NEXT:      %[[S:.*]] = wgtile.mma_async {{.*}} :
// CHECK-NEXT:      %[[D:.*]] = wgtile.mma_async %[[T]], %{{.*}}, %[[ACC]] :
// CHECK-NEXT:      %[[V:.*]] = wgtile.warpgroup_mma_wait %[[S]] pending 1 : tensor<64x128xf32>
// CHECK-NEXT:      %[[E:.*]] = arith.negf %[[V]]
// CHECK-NEXT:      %[[W:.*]]:2 = wgtile.warpgroup_mma_wait %[[D]], %[[T]] pending 0 :
// CHECK-NEXT:      %[[NEXT:.*]] = arith.truncf %[[E]]
// CHECK-NEXT:      scf.yield %[[W]]#0, %[[NEXT]]
// CHECK-NOT:     warpgroup_mma_wait
// CHECK:         wgtile.store %[[R]]#0
gpu.module @kernels {
  gpu.func @chain(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                  %v: !wgtile.shared<128x128xbf16>, %t0: tensor<64x128xbf16>,
                  %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %t0)
        -> (tensor<64x128xf32>, tensor<64x128xbf16>) {
      %s = wgtile.mma %a, %b, %zero : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      %d = wgtile.mma %t, %v, %acc : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
      %e = arith.negf %s : tensor<64x128xf32>
      %next = arith.truncf %e : tensor<64x128xf32> to tensor<64x128xbf16>
      scf.yield %d, %next : tensor<64x128xf32>, tensor<64x128xbf16>
    }
    wgtile.store %r#0, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// An operand that every turn reads keeps its registers over the whole loop.
// CHECK-LABEL: gpu.func @same_in_all_turns
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<64x128xbf16>
// CHECK:         %[[R:.*]] = scf.for
// CHECK-NEXT:      wgtile.mma_async %[[T]], {{.*}} :
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[W:.*]]:2 = wgtile.warpgroup_mma_wait %[[R]], %[[T]] pending 0
// CHECK-NEXT:    wgtile.store %[[W]]#0
// CHECK-NOT:     warpgroup_mma_wait
gpu.module @kernels {
  gpu.func @same_in_all_turns(%t: tensor<64x128xbf16>, %b: !wgtile.shared<128x128xbf16>,
                              %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %t, %b, %acc : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The loop uses such an operand for something else too, which would have to wait
// for the product of the turn before: the product is synchronous.
// CHECK-LABEL: gpu.func @other_use_in_loop
// CHECK:         scf.for
// CHECK-NOT:       async
// CHECK-NOT:     warpgroup_mma_wait
// CHECK:         gpu.return
gpu.module @kernels {
  gpu.func @other_use_in_loop(%t: tensor<64x128xbf16>, %b: !wgtile.shared<128x128xbf16>,
                              %zero: tensor<64x128xf32>, %out: memref<?x?xbf16>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      wgtile.store %t, %out[%i, %c0] in_bounds [true, true] : tensor<64x128xbf16>, memref<?x?xbf16>
      %d = wgtile.mma %t, %b, %acc : tensor<64x128xbf16>, !wgtile.shared<128x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    gpu.return
  }
}
