// sattn.block_lists on GPUs: one warp a row, counts read and places written an
// element at a time.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-assign-layouts -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx --schedule=plain %s -o /dev/null

// CHECK-LABEL: gpu.func @lists(
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK:   wgtile.gather
// CHECK-DAG: wgtile.tile_scan addi
// CHECK-DAG: wgtile.tile_reduce addi
// CHECK:   wgtile.scatter
// CHECK:   wgtile.scatter
// CHECK: scf.for
// CHECK:   wgtile.scatter
// CHECK: scf.for
// CHECK:   wgtile.scatter
func.func @lists(%counts: tensor<?x?x?x?xi32>, %heights: tensor<?xi32>, %widths: tensor<?xi32>,
                 %a: tensor<?x?x?xi32>, %b: tensor<?x?x?x?xi32>, %c: tensor<?x?x?xi32>, %d: tensor<?x?x?x?xi32>)
    -> (tensor<?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xi32>) {
  %0:4 = sattn.block_lists ins(%counts, %heights, %widths : tensor<?x?x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
      outs(%a, %b, %c, %d : tensor<?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xi32>)
      -> tensor<?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xi32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xi32>
}
