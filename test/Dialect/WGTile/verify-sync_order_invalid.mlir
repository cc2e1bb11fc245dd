// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' -o /dev/null

// Nothing is wrong with an order that is kept: waits and arrivals by turns, over loops and tiles.
gpu.module @kernels {
  gpu.func @kept(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i) in (%n) {
        scf.for %p = %c0 to %n step %c1 {
          wgtile.order_wait warpgroups 2
          wgtile.order_arrive warpgroups 2
        }
        scf.for %p = %c0 to %n step %c1 {
          wgtile.order_wait warpgroups 2
          wgtile.order_arrive warpgroups 2
        }
      }
    }
    gpu.return
  }
}

// -----

// The first warpgroup would wait for the last one, and that for it.
gpu.module @kernels {
  gpu.func @not_initialized(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      // expected-error @below {{expected an order of warpgroups that is initialized once, and then waited for and passed on in turn}}
      wgtile.order_wait warpgroups 2
      wgtile.order_arrive warpgroups 2
    }
    gpu.return
  }
}

// -----

// Two warpgroups would go first.
gpu.module @kernels {
  gpu.func @initialized_twice(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      // expected-error @below {{expected an order of warpgroups that is initialized once}}
      wgtile.order_init warpgroups 2
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @initialized_for_each_tile(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%n) {
        // expected-error @below {{'wgtile.order_init' op expected no loop or branch of the role around it}}
        wgtile.order_init warpgroups 2
      }
    }
    gpu.return
  }
}

// -----

// The other warpgroups would wait for ever.
gpu.module @kernels {
  gpu.func @not_passed_on(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
    }
    // expected-error @below {{expected every turn in the order of warpgroups to be passed on, but the program may end before}}
    gpu.return
  }
}

// -----

// Nor on one way through the iteration.
gpu.module @kernels {
  gpu.func @not_always_passed_on(%n: index, %c: i1) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %p = %c0 to %n step %c1 {
        // expected-error @below {{expected an order of warpgroups that is initialized once, and then waited for and passed on in turn}}
        wgtile.order_wait warpgroups 2
        scf.if %c {
          wgtile.order_arrive warpgroups 2
        }
      }
    }
    // expected-error @below {{expected every turn in the order of warpgroups to be passed on}}
    gpu.return
  }
}

// -----

// A warpgroup would let the next one go that waits for another's turn.
gpu.module @kernels {
  gpu.func @passed_on_twice(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
      wgtile.order_arrive warpgroups 2
      // expected-error @below {{expected an order of warpgroups that is initialized once, and then waited for and passed on in turn}}
      wgtile.order_arrive warpgroups 2
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @waited_for_twice(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
      // expected-error @below {{expected an order of warpgroups that is initialized once, and then waited for and passed on in turn}}
      wgtile.order_wait warpgroups 2
      wgtile.order_arrive warpgroups 2
    }
    gpu.return
  }
}

// -----

// Fewer than consume: the third warpgroup has nobody who lets it go.
gpu.module @kernels {
  gpu.func @warpgroups(%n: index) kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 12 registers 160 consumer_groups 1 {
      // expected-error @below {{'wgtile.order_init' op expected as many warpgroups as consume, 3, but got 2}}
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 3
      wgtile.order_arrive warpgroups 3
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @warpgroups_of_arrival(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      wgtile.order_init warpgroups 2
      wgtile.order_wait warpgroups 2
      // expected-error @below {{'wgtile.order_arrive' op expected as many warpgroups as consume, 2, but got 3}}
      wgtile.order_arrive warpgroups 3
    }
    gpu.return
  }
}

// -----

// Orders of two roles would meet at the same barriers.
gpu.module @kernels {
  gpu.func @two_roles(%n: index) kernel {
    wgtile.roles producer warps 4 registers 0 {
    }, first warps 8 registers 0 consumer_groups 1 {
      wgtile.order_init warpgroups 2
    }, second warps 8 registers 0 consumer_groups 1 {
      // expected-error @below {{'wgtile.order_init' op expected one role with an order of warpgroups}}
      wgtile.order_init warpgroups 2
    }
    gpu.return
  }
}

// -----

// Groups pass over different iterations, and would wait for each other.
gpu.module @kernels {
  gpu.func @groups(%n: index) kernel attributes {known_block_size = array<i32: 640, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 16 registers 112 consumer_groups 2 {
      // expected-error @below {{'wgtile.order_init' op expected one group of consumers, but got 2}}
      wgtile.order_init warpgroups 4
    }
    gpu.return
  }
}

// -----

// The producer's warpgroup is none of the order's.
gpu.module @kernels {
  gpu.func @producer(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    wgtile.roles producer warps 4 registers 24 {
      // expected-error @below {{'wgtile.order_init' op expected to stand in the consumers' role}}
      wgtile.order_init warpgroups 2
    }, consumer warps 8 registers 240 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_roles(%n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // expected-error @below {{'wgtile.order_wait' op expected to stand in the consumers' role}}
    wgtile.order_wait warpgroups 2
    gpu.return
  }
}
