// Parameters of a row that is given by its numbers: it wins over all tables, and
// is made to fit as their rows are.

// RUN: sparse-opt %s --remarks-filter=sattn-.* --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table.json row=SPLIT_N=4,num_stages=40,GROUP_SIZE_ROW=9" 2>&1 \
// RUN:   | FileCheck %s
// CHECK: remark: {{.*}}tile parameters from the option 'row': #sattn.meta<tile = [64, 64, 64], stages = 14, raster_group = 4>
// CHECK: meta = #sattn.meta<tile = [64, 64, 64], stages = 14, raster_group = 4>

// RUN: sparse-opt %s --sattn-inject-meta="target=sm_80 row=tile_n=128,tile_k=32,warps=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OURS
// OURS: meta = #sattn.meta<tile = [64, 128, 32], warps = 4>

// RUN: sparse-opt %s --sattn-inject-meta=row=SPLIT_N=2,num_warps=8 | FileCheck %s --check-prefix=CPU
// CPU: meta = #sattn.meta<tile = [64, 128, 64]>

// RUN: not sparse-opt %s --sattn-inject-meta=row=SPLIT_N=3 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: option 'row': expected SPLIT_N to divide N = 256, but got 3
// RUN: not sparse-opt %s --sattn-inject-meta=row=SPLIT_N=0 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: option 'row': expected SPLIT_N from 1 to 256, but got 0
// RUN: not sparse-opt %s --sattn-inject-meta=row=SPLIT_N 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: option 'row': expected NAME=NUMBER, but got 'SPLIT_N'
// RUN: not sparse-opt %s --sattn-inject-meta=row=SPLIT_M=4 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: option 'row': expected parameters out of tile_m, tile_n, tile_k, stages, warps, raster_group, GROUP_SIZE_ROW, split_k, SPLIT_N, num_stages, num_warps, register_rows, register_vectors, threads, but got SPLIT_M
// RUN: not sparse-opt %s --sattn-inject-meta=row=SPLIT_N=4,SPLIT_N=4 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: option 'row': expected different parameters, but got SPLIT_N twice
// RUN: not sparse-opt %s --sattn-inject-meta=row=stages=4 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: option 'row': expected SPLIT_N or tile_n among the parameters, but got neither
// RUN: not sparse-opt %s --sattn-inject-meta="target=sm_90a row=tile_m=1024,tile_n=64" 2>&1 | FileCheck %s --check-prefix=FIT
// FIT: error: option 'row': expected a tile of at most 512 rows on sm_90a, but got 1024

// RUN: sed 's/512x256xbf16/?x?xbf16/g' %s > %t.open.mlir
// RUN: not sparse-opt %t.open.mlir --sattn-inject-meta=row=SPLIT_N=4 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: option 'row': expected known M, N and K
// RUN: sparse-opt %t.open.mlir --sattn-inject-meta="row=SPLIT_N=4 sizes=0,320,512" | FileCheck %s --check-prefix=SIZES
// SIZES: meta = #sattn.meta<tile = [64, 80, 64]>

func.func @product(%crow: tensor<9xi32>, %col: tensor<32xi32>,
                   %values: tensor<32x64x64xbf16>, %b: tensor<512x256xbf16>,
                   %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<32xi32>,
          tensor<32x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}
