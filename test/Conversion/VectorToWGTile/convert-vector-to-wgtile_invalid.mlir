// RUN: sparse-opt %s --convert-vector-to-wgtile --split-input-file \
// RUN:   --verify-diagnostics

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @element_type(%a: memref<?x?xf64>, %acc: vector<64x64xf64>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f64
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf64>, vector<64x64xf64>
    // expected-error @below {{expected a product of f16, bf16, f32 or f8 tiles that accumulates in f32, or of i8 in i32, but got 'vector<64x64xf64>', 'vector<64x64xf64>' and 'vector<64x64xf64>'}}
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %l, %acc
        : vector<64x64xf64>, vector<64x64xf64> into vector<64x64xf64>
    gpu.return
  }
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#nm = affine_map<(m, n, k) -> (n, m)>
gpu.module @kernels {
  gpu.func @transposed_result(%a: memref<?x?xf16>, %acc: vector<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<64x64xf16>
    // expected-error @below {{expected a product of tiles of rows}}
    %0 = vector.contract {
        indexing_maps = [#mk, #nk, #nm],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %l, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    gpu.return
  }
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @right_operand(%a: vector<64x64xf16>, %acc: vector<64x64xf32>) kernel {
    // expected-error @below {{expected the right operand to be read from memory as it is}}
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    gpu.return
  }
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @right_operand(%a: memref<?x?xf16>, %acc: vector<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<64x64xf16>
    %r = arith.negf %l : vector<64x64xf16>
    // expected-error @below {{expected the right operand to be read from memory as it is}}
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %r, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    gpu.return
  }
}

// -----

// The view ends before the memref does: elements after its end exist, and would
// be loaded.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @view_ends_elsewhere(%a: vector<64x64xf16>, %b: memref<?x?xf16>,
                                %acc: vector<64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %view = memref.subview %b[0, 0] [64, %n] [1, 1]
        : memref<?x?xf16> to memref<64x?xf16, strided<[?, 1]>>
    // expected-error @below {{expected a view that ends with the memref under it along dimension 1, or holds the whole vector}}
    %r = vector.transfer_read %view[%c0, %c0], %pad {in_bounds = [true, false]}
        : memref<64x?xf16, strided<[?, 1]>>, vector<64x64xf16>
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %r, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @stride(%out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    // expected-error @below {{expected a view of stride 1}}
    %view = memref.subview %out[0, 0] [64, 64] [2, 1]
        : memref<?x?xf32> to memref<64x64xf32, strided<[?, 1]>>
    // expected-error @below {{failed to legalize operation}}
    vector.transfer_write %zeros, %view[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<64x64xf32, strided<[?, 1]>>
    gpu.return
  }
}

// -----

// Only a vector that was broadcast is spread along rows: tiles are not turned.
gpu.module @kernels {
  gpu.func @transpose(%a: memref<?x?xf32>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %tile = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf32>, vector<64x64xf32>
    // expected-error @below {{failed to legalize operation 'vector.transpose'}}
    %turned = vector.transpose %tile, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
    vector.transfer_write %turned, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @inclusive_scan(%a: memref<?x?xi32>, %first: i32) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    %flat = vector.shape_cast %tile : vector<16x8xi32> to vector<128xi32>
    %start = vector.broadcast %first : i32 to vector<i32>
    // expected-error @below {{expected a scan of all elements of a tile, without the last one and its accumulated value}}
    %sums, %last = vector.scan <add>, %flat, %start {inclusive = true, reduction_dim = 0 : i64} : vector<128xi32>, vector<i32>
    %most = vector.shape_cast %sums : vector<128xi32> to vector<16x8xi32>
    vector.transfer_write %most, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scan_of_rows(%a: memref<?x?xi32>, %start: vector<16xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    // expected-error @below {{expected a scan of all elements of a tile, without the last one and its accumulated value}}
    %sums, %last = vector.scan <add>, %tile, %start {inclusive = false, reduction_dim = 1 : i64} : vector<16x8xi32>, vector<16xi32>
    vector.transfer_write %sums, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scan_from_argument(%a: memref<?x?xi32>, %start: vector<i32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    %flat = vector.shape_cast %tile : vector<16x8xi32> to vector<128xi32>
    // expected-error @below {{expected a number as the initial value}}
    %sums, %last = vector.scan <add>, %flat, %start {inclusive = false, reduction_dim = 0 : i64} : vector<128xi32>, vector<i32>
    %most = vector.shape_cast %sums : vector<128xi32> to vector<16x8xi32>
    vector.transfer_write %most, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @padding(%a: memref<?x?xf32>, %out: memref<?x?xf32>, %pad: f32) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{failed to legalize operation 'vector.transfer_read'}}
    %tile = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, false]}
        : memref<?x?xf32>, vector<64x64xf32>
    vector.transfer_write %tile, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @transposed_left_of_f32(%a: memref<?x?xf32>, %acc: vector<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf32>, vector<64x64xf32>
    // expected-error @below {{expected a left tile of 16-bit elements, or one whose rows run along K, but got 'vector<64x64xf32>'}}
    %0 = vector.contract {
        indexing_maps = [#km, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %l, %acc
        : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
    gpu.return
  }
}
