// RUN: sparse-opt %s --wgtile-split-k --split-input-file --verify-diagnostics

// Such schedules are written by hand: wgtile-schedule asks for none of them.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error@below {{expected a kernel whose reduction 2 CTAs can share (wgtile-schedule), but the tile's program has not one loop over blocks by itself}}
    gpu.func @no_loop(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<split_k = 2>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
  }
  func.func @host(%n: index) {
    wgtile.launch @kernels::@no_loop grid(%n) args(%n) : index
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error@below {{but the loop over blocks does more than add MMAs to zeros}}
    gpu.func @maximum(%n: index, %t: tensor<64x64xf32>) kernel
        attributes {wgtile.schedule = #wgtile.schedule<split_k = 2>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %m = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
          %d = arith.maximumf %acc, %t : tensor<64x64xf32>
          scf.yield %d : tensor<64x64xf32>
        } {wgtile.block_loop}
      }
      gpu.return
    }
  }
  func.func @host(%n: index, %t: tensor<64x64xf32>) {
    wgtile.launch @kernels::@maximum grid(%n) args(%n, %t) : index, tensor<64x64xf32>
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error@below {{but it has not one loop over tiles}}
    gpu.func @persistent(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<split_k = 2>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {persistent = 4 : i64} {
      }
      gpu.return
    }
  }
  func.func @host(%n: index) {
    wgtile.launch @kernels::@persistent grid(%n) args(%n) : index
    return
  }
}
