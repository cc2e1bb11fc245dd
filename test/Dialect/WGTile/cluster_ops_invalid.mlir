// RUN: sparse-opt %s --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @element(%t: tensor<64x64xbf16>) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error@below {{expected a tile of f32 or i32 with two dimensions, but got 'tensor<64x64xbf16>'}}
    %0 = wgtile.cluster_reduce %t : tensor<64x64xbf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_cluster(%t: tensor<64x64xf32>) kernel {
    // expected-error@below {{expected a kernel with a 'known_cluster_size' along x}}
    %0 = wgtile.cluster_reduce %t : tensor<64x64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @two_dimensions(%t: tensor<64x64xf32>) kernel attributes {known_cluster_size = array<i32: 2, 2, 1>} {
    // expected-error@below {{expected a kernel with a 'known_cluster_size' along x}}
    %0 = wgtile.cluster_reduce %t : tensor<64x64xf32>
    gpu.return
  }
}
