// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS %}
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROLES

// Sampled products on GPUs with the computed tiles. The producer alone searches
// the block row of a block.

// ROLES-LABEL: gpu.func @blocks_64(
// ROLES:         wgtile.roles producer
// ROLES:           scf.for
// ROLES:             memref.load %{{.*}} : memref<?xi32
// ROLES:           scf.for
// ROLES:             wgtile.tma_load
// ROLES:             wgtile.tma_load
// A block's MMA ends before its group waits for more: the other groups' run then.
// ROLES:         consumer_groups 4
// ROLES:           wgtile.mma_async
// ROLES-NEXT:      wgtile.warpgroup_mma_wait {{.*}} pending 0
// ROLES-NEXT:      wgtile.consumer_release

// CHECK-LABEL: .entry blocks_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_64(%alpha: f32, %beta: f32,
                     %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                     %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// A run of blocks: rows of mat1 once for those of a block row, and a store of
// each block while the next is computed.
// ROLES-LABEL: gpu.func @run_64(
// ROLES-DAG:     %[[OUT:.*]] = wgtile.ring : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
// ROLES-DAG:     %[[ROWS:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{.*}}, [!wgtile.shared<64x128xbf16, swizzle = 128>]>
// ROLES-DAG:     %[[COLUMNS:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{.*}}, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
// ROLES:         wgtile.roles producer
// ROLES:           scf.for
// ROLES:           scf.for
// ROLES:             wgtile.tma_load %[[ROWS]]
// ROLES:             scf.for
// ROLES:               wgtile.tma_load %[[COLUMNS]]
// ROLES:         consumer
// ROLES:             wgtile.consumer_wait %[[ROWS]]
// ROLES:             scf.for
// ROLES:               wgtile.consumer_wait %[[COLUMNS]]
// ROLES:               wgtile.mma_async
// ROLES:               wgtile.consumer_release %[[COLUMNS]]
// ROLES:               wgtile.tma_store %[[OUT]]
// ROLES:             wgtile.consumer_release %[[ROWS]]

// CHECK-LABEL: .entry run_64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}run_64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @run_64(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %mat1: tensor<?x128xbf16>, %mat2: tensor<128x?xbf16>,
                  %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x128xbf16>, tensor<128x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

func.func @run_transposed(%alpha: f32, %crow: tensor<?xi64>, %col: tensor<?xi64>,
                          %mat1: tensor<?x?x96xf16>, %mat2: tensor<?x96xf16>,
                          %out: tensor<?x?x64x64xf32>)
    -> tensor<?x?x64x64xf32> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi64>, tensor<?xi64>, tensor<?x?x96xf16>, tensor<?x96xf16>)
      outs(%out : tensor<?x?x64x64xf32>) {transpose_mat2} -> tensor<?x?x64x64xf32>
  return %0 : tensor<?x?x64x64xf32>
}

// CHECK-LABEL: .entry blocks_128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_128(%alpha: f32, %beta: f32,
                      %crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                      %out: tensor<?x128x128xbf16>)
    -> tensor<?x128x128xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x128x128xbf16>) -> tensor<?x128x128xbf16>
  return %0 : tensor<?x128x128xbf16>
}

// CHECK-LABEL: .entry blocks_64x128(
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_64x128: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_64x128(%alpha: f32, %beta: f32,
                         %crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                         %out: tensor<?x64x128xbf16>)
    -> tensor<?x64x128xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x128xbf16>) -> tensor<?x64x128xbf16>
  return %0 : tensor<?x64x128xbf16>
}

// CHECK-LABEL: .entry blocks_128x64(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_128x64: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_128x64(%alpha: f32, %beta: f32,
                         %crow: tensor<?xi32>, %col: tensor<?xi32>,
                         %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                         %out: tensor<?x128x64xbf16>)
    -> tensor<?x128x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x128x64xbf16>) -> tensor<?x128x64xbf16>
  return %0 : tensor<?x128x64xbf16>
}

// CHECK-LABEL: .entry blocks_256x192(
// CHECK: wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}blocks_256x192: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @blocks_256x192(%alpha: f32, %beta: f32,
                          %crow: tensor<?xi32>, %col: tensor<?xi32>,
                          %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                          %out: tensor<?x256x192xbf16>)
    -> tensor<?x256x192xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x256x192xbf16>) -> tensor<?x256x192xbf16>
  return %0 : tensor<?x256x192xbf16>
}

func.func @blocks_8(%alpha: f32, %beta: f32,
                    %crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                    %out: tensor<?x8x8xbf16>)
    -> tensor<?x8x8xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x8x8xbf16>) -> tensor<?x8x8xbf16>
  return %0 : tensor<?x8x8xbf16>
}

func.func @blocks_16(%alpha: f32, %beta: f32,
                     %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                     %out: tensor<?x16x16xbf16>)
    -> tensor<?x16x16xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}

func.func @blocks_32(%alpha: f32, %beta: f32,
                     %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                     %out: tensor<?x32x32xbf16>)
    -> tensor<?x32x32xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x32x32xbf16>) -> tensor<?x32x32xbf16>
  return %0 : tensor<?x32x32xbf16>
}

func.func @blocks_24x40(%alpha: f32, %beta: f32,
                        %crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                        %out: tensor<?x24x40xbf16>)
    -> tensor<?x24x40xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x24x40xbf16>) -> tensor<?x24x40xbf16>
  return %0 : tensor<?x24x40xbf16>
}

func.func @blocks_48x96(%alpha: f32, %beta: f32,
                        %crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                        %out: tensor<?x48x96xbf16>)
    -> tensor<?x48x96xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x48x96xbf16>) -> tensor<?x48x96xbf16>
  return %0 : tensor<?x48x96xbf16>
}

func.func @blocks_136x8(%alpha: f32, %beta: f32,
                        %crow: tensor<?xi32>, %col: tensor<?xi32>,
                        %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                        %out: tensor<?x136x8xbf16>)
    -> tensor<?x136x8xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x136x8xbf16>) -> tensor<?x136x8xbf16>
  return %0 : tensor<?x136x8xbf16>
}

func.func @transposed(%alpha: f32, %beta: f32,
                      %crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                      %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {transpose_mat2} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

func.func @transposed_128(%alpha: f32, %beta: f32,
                          %crow: tensor<?xi32>, %col: tensor<?xi32>,
                          %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                          %out: tensor<?x128x128xbf16>)
    -> tensor<?x128x128xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x128x128xbf16>) {transpose_mat2} -> tensor<?x128x128xbf16>
  return %0 : tensor<?x128x128xbf16>
}

func.func @beta_0(%alpha: f32, %beta: f32,
                  %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                  %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

func.func @with_input(%alpha: f32, %beta: f32,
                      %crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                      %input: tensor<?x128x128xbf16>, %out: tensor<?x128x128xbf16>)
    -> tensor<?x128x128xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x128x128xbf16>)
      outs(%out : tensor<?x128x128xbf16>) {transpose_mat2} -> tensor<?x128x128xbf16>
  return %0 : tensor<?x128x128xbf16>
}

func.func @f32_result(%alpha: f32, %beta: f32,
                      %crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
                      %out: tensor<?x128x128xf32>)
    -> tensor<?x128x128xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x128x128xf32>) -> tensor<?x128x128xf32>
  return %0 : tensor<?x128x128xf32>
}

func.func @f16(%alpha: f32, %beta: f32,
               %crow: tensor<?xi32>, %col: tensor<?xi32>,
               %mat1: tensor<?x?xf16>, %mat2: tensor<?x?xf16>,
               %input: tensor<?x64x64xf16>, %out: tensor<?x64x64xf16>)
    -> tensor<?x64x64xf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf16>, tensor<?x?xf16>)
      input(%input : tensor<?x64x64xf16>)
      outs(%out : tensor<?x64x64xf16>) -> tensor<?x64x64xf16>
  return %0 : tensor<?x64x64xf16>
}

func.func @batches(%alpha: f32, %beta: f32,
                   %crow: tensor<?xi32>, %col: tensor<?xi32>,
                   %mat1: tensor<?x?x?xbf16>, %mat2: tensor<?x?x?xbf16>,
                   %input: tensor<?x64x64xbf16>, %out: tensor<?x?x64x64xbf16>)
    -> tensor<?x?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?x?xbf16>, tensor<?x?x?xbf16>)
      input(%input : tensor<?x64x64xbf16>)
      outs(%out : tensor<?x?x64x64xbf16>) {transpose_mat2} -> tensor<?x?x64x64xbf16>
  return %0 : tensor<?x?x64x64xbf16>
}

func.func @tf32(%alpha: f32, %beta: f32,
                %crow: tensor<?xi32>, %col: tensor<?xi32>,
                %mat1: tensor<?x?xf32>, %mat2: tensor<?x?xf32>,
                %out: tensor<?x64x64xf32>)
    -> tensor<?x64x64xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x64x64xf32>) {precision = "tf32"} -> tensor<?x64x64xf32>
  return %0 : tensor<?x64x64xf32>
}

func.func @tf32_transposed(%alpha: f32, %beta: f32,
                           %crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %mat1: tensor<?x?xf32>, %mat2: tensor<?x?xf32>,
                           %out: tensor<?x128x128xf32>)
    -> tensor<?x128x128xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x128x128xf32>) {precision = "tf32", transpose_mat2} -> tensor<?x128x128xf32>
  return %0 : tensor<?x128x128xf32>
}

// From linalg, as upstream writes it: Q K^T at the stored blocks.
#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense), posWidth = 32, crdWidth = 32}>

// CHECK-LABEL: .entry from_linalg(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// PTXAS-DAG: {{^}}from_linalg: {{[0-9]+}} registers, {{.*}} 0 bytes of stack
func.func @from_linalg(%c: tensor<?x?xf32, #bsr>, %q: tensor<?x128xbf16>, %k: tensor<?x128xbf16>) -> tensor<?x?xf32, #bsr> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x128xbf16>, tensor<?x128xbf16>) outs(%c : tensor<?x?xf32, #bsr>) {
  ^bb0(%a: bf16, %b: bf16, %s: f32):
    %u = sparse_tensor.unary %s : f32 to f32
      present = {
      ^bb0(%p: f32):
        %1 = arith.extf %a : bf16 to f32
        %2 = arith.extf %b : bf16 to f32
        %3 = arith.mulf %1, %2 : f32
        sparse_tensor.yield %3 : f32
      }
      absent = {}
    %r = sparse_tensor.reduce %s, %u, %zero : f32 {
    ^bb0(%x: f32, %y: f32):
      %1 = arith.addf %x, %y : f32
      sparse_tensor.yield %1 : f32
    }
    linalg.yield %r : f32
  } -> tensor<?x?xf32, #bsr>
  return %0 : tensor<?x?xf32, #bsr>
}
