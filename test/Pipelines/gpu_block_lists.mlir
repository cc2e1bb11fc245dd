// sattn.block_lists on GPUs: one warp a list, counts read and places written an
// element at a time.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-assign-layouts -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx --schedule=plain %s -o /dev/null

// CHECK-LABEL: gpu.func @lists(
// CHECK: scf.for
// CHECK:   wgtile.gather
// CHECK: wgtile.tile_reduce addi
// CHECK: scf.for {{.*}} -> (i32)
// CHECK:   wgtile.gather
// CHECK:   wgtile.tile_scan addi
// CHECK:   wgtile.scatter
func.func @lists(%counts: tensor<?x?x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                 %numbers: tensor<2x?x?x?xi32>, %columns: tensor<2x?x?x?x?xi32>)
    -> (tensor<2x?x?x?xi32>, tensor<2x?x?x?x?xi32>) {
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<?x?x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%numbers, %columns : tensor<2x?x?x?xi32>, tensor<2x?x?x?x?xi32>)
      -> tensor<2x?x?x?xi32>, tensor<2x?x?x?x?xi32> {separate}
  return %0#0, %0#1 : tensor<2x?x?x?xi32>, tensor<2x?x?x?x?xi32>
}
