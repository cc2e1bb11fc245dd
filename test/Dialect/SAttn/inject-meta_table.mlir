// Rows of tables, chosen by what is known of the op. XDG_CONFIG_HOME: the tables
// of who runs the test play no part.

// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=PROBLEM,TABLE
// RUN: env SATTN_META_TABLE=%S/Inputs/meta-table.json XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200'" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=PROBLEM,TABLE
// PROBLEM: warning: meta table '{{.*}}meta-table.json': row (512, 512, 320, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.50: expected tile_n to be a multiple of 8, but got 100; the row is not used
// TABLE: remark: {{.*}}tile parameters from row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.50 in {{.*}}meta-table.json (exact): #sattn.meta<tile = [64, 128, 64], stages = 3, raster_group = 2>
// TABLE: warning: row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.75 in {{.*}}meta-table.json (exact) fits no tile: expected a tile of at most 512 rows on sm_90a, but got 1024
// TABLE: remark: {{.*}}tile parameters from the computed default (no table has a row that does for bsr_addmm (512, 512, 256, 64, 64, true, false, true), NVIDIA H200, bf16, sparsity 0.75)
// TABLE: remark: {{.*}}tile parameters from the computed default (a row is found by M, N and K, and N is not known): #sattn.meta<tile = [128, 256, 64]>
// TABLE: remark: {{.*}}tile parameters from row (512, 512, 256, 64, 64, false, true, true) of {{.*}} (exact): #sattn.meta<tile = [64, 192, 32], stages = 4, raster_group = 1>

// The option gives the size that the third function leaves open; sparsity counts
// for all.
// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table.json sizes=0,512,0 sparsity=0.8" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIZES
// SIZES: row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.50 in {{.*}} (of sparsity 0.5)
// SIZES: row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.50 in {{.*}} (of sparsity 0.5)
// SIZES: row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA H200, bf16, sparsity 0.50 in {{.*}} (of sparsity 0.5, of a smaller N with the same tiles)

// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table.json sparsity=0.8 exact" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: from row
// EXACT: tile parameters from the computed default

// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%S/Inputs/meta-table.json version=3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VERSION
// VERSION: sparsity 0.50, version 3 in {{.*}} (exact): #sattn.meta<tile = [64, 64, 64]>

// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H100 80GB HBM3' table=%S/Inputs/meta-table.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAMILY
// FAMILY: NVIDIA H200, bf16, sparsity 0.50 in {{.*}} (of the device's family): #sattn.meta<tile = [64, 128, 64], stages = 3, raster_group = 2>

// A file that cannot be used is a warning; what it would have given comes from
// the default.
// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%t.none/table.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING
// MISSING: warning: meta table '{{.*}}.none/table.json': expected a file that can be read, but got: No such file or directory
// MISSING: remark: {{.*}}tile parameters from the computed default

// RUN: head -c 300 %S/Inputs/meta-table.json > %t.truncated.json
// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%t.truncated.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: warning: meta table '{{.*}}.truncated.json': expected JSON, but got
// TRUNCATED: remark: {{.*}}tile parameters from the computed default

// RUN: echo '{"format": "sattn-meta-table", "version": 2, "sections": []}' > %t.newer.json
// RUN: env XDG_CONFIG_HOME=%t.none sparse-opt %s --remarks-filter=sattn-.* -o /dev/null \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200' table=%t.newer.json" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEWER
// NEWER: warning: meta table '{{.*}}.newer.json': expected "version": 1 of the format, the only one that is known, but got 2
// NEWER: remark: {{.*}}tile parameters from the computed default

// The user's own table.
// RUN: mkdir -p %t.user/sattn && cp %S/Inputs/meta-table.json %t.user/sattn/meta-table.json
// RUN: env XDG_CONFIG_HOME=%t.user sparse-opt %s --remarks-filter=sattn-.* \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200'" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=USER
// USER: sparsity 0.50 in {{.*}}.user/sattn/meta-table.json (exact)

// An attribute on the op wins over all of them.
// RUN: sed 's/outs(%%out : tensor<512x256xbf16>) ->/outs(%%out : tensor<512x256xbf16>) {meta = #sattn.meta<tile = [64, 8, 16]>} ->/' %s > %t.attribute.mlir
// RUN: env SATTN_META_TABLE=%S/Inputs/meta-table.json XDG_CONFIG_HOME=%t.user sparse-opt %t.attribute.mlir \
// RUN:   --sattn-inject-meta="target=sm_90a device='NVIDIA H200'" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ATTRIBUTE
// ATTRIBUTE: func.func @known(
// ATTRIBUTE: sattn.bsr_addmm {{.*}} {meta = #sattn.meta<tile = [64, 8, 16]>}

func.func @known(%crow: tensor<9xi32>, %col: tensor<32xi32>,
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

// A quarter of the blocks: the sparsity follows from nnz.
func.func @sparser(%crow: tensor<9xi32>, %col: tensor<16xi32>,
                   %values: tensor<16x64x64xbf16>, %b: tensor<512x256xbf16>,
                   %out: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<16xi32>,
          tensor<16x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// M follows from crow.
func.func @any_n(%crow: tensor<9xi32>, %col: tensor<?xi32>,
                 %values: tensor<?x64x64xbf16>, %b: tensor<512x?xbf16>,
                 %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// alpha and beta that are known only at run time count as 1.
func.func @scalars(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
                   %col: tensor<32xi32>, %values: tensor<32x64x64xbf16>,
                   %b: tensor<512x256xbf16>, %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<32xi32>,
          tensor<32x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>) -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}
