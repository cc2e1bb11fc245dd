// What parameters ask of the schedule reaches the kernels: stages, the shared
// memory that these take; warps, threads; the group, the order of tiles.

// RUN: sed 's/PARAMETERS/tile = [16, 128, 16]/' %s > %t.none.mlir
// RUN: sed 's/PARAMETERS/tile = [16, 128, 16], stages = 3/' %s > %t.stages.mlir
// RUN: sed 's/PARAMETERS/tile = [16, 128, 16], warps = 2/' %s > %t.warps.mlir
// RUN: sed 's/PARAMETERS/tile = [16, 128, 16], raster_group = 7/' %s > %t.group.mlir

// RUN: sparse-translate --to=manifest --chip=sm_80 %t.none.mlir | FileCheck %s --check-prefix=NONE80
// RUN: sparse-translate --to=manifest --chip=sm_80 %t.stages.mlir | FileCheck %s --check-prefix=STAGES80
// RUN: sparse-translate --to=manifest --chip=sm_80 %t.warps.mlir | FileCheck %s --check-prefix=WARPS80
// RUN: sparse-translate --to=manifest --chip=sm_90a %t.none.mlir | FileCheck %s --check-prefix=NONE90
// RUN: sparse-translate --to=manifest --chip=sm_90a %t.stages.mlir | FileCheck %s --check-prefix=STAGES90
// RUN: sparse-translate --to=manifest --chip=sm_90a %t.warps.mlir | FileCheck %s --check-prefix=WARPS90
// NONE80:   "block":128,{{.*}}"launch":"product","shared":20488,
// STAGES80: "block":128,{{.*}}"launch":"product","shared":15368,
// WARPS80:  "block":64,{{.*}}"launch":"product","shared":20488,
// NONE90:   "block":256,{{.*}}"launch":"product","shared":56536,
// STAGES90: "block":256,{{.*}}"launch":"product","shared":15448,
// WARPS90:  "block":96,{{.*}}"launch":"product","shared":56536,

// 16 stages at most, though more would fit.
// RUN: sed 's/PARAMETERS/tile = [16, 64, 16], stages = 100/' %s > %t.many.mlir
// RUN: sparse-translate --to=manifest --chip=sm_80 %t.many.mlir | FileCheck %s --check-prefix=MANY80
// RUN: sparse-translate --to=manifest --chip=sm_90a %t.many.mlir | FileCheck %s --check-prefix=MANY90
// MANY80: "launch":"product","shared":49160,
// MANY90: "launch":"product","shared":49448,

// RUN: sparse-translate --to=ptx --chip=sm_80 %t.none.mlir -o %t.none.ptx
// RUN: sparse-translate --to=ptx --chip=sm_80 %t.group.mlir -o %t.group.ptx
// RUN: not diff %t.none.ptx %t.group.ptx
// RUN: sparse-opt %t.none.mlir --sattn-to-nvvm --mlir-print-ir-after=wgtile-persist -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOUR
// RUN: sparse-opt %t.group.mlir --sattn-to-nvvm --mlir-print-ir-after=wgtile-persist -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEVEN
// FOUR: wgtile.for_each_tile {{.*}}persistent = 4 : i64
// SEVEN: wgtile.for_each_tile {{.*}}persistent = 7 : i64

// Two stages are enough where a group of consumers passes over turns without a
// product of its own: it then gives back the stage of its last product at once.
// RUN: sed 's/16x16/64x64/g; s/PARAMETERS/tile = [128, 256, 64], stages = 2/' %s > %t.grouped.mlir
// RUN: sparse-opt %t.grouped.mlir --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HELD1
// RUN: sed 's/16x16/64x64/g; s/PARAMETERS/tile = [128, 256, 64], stages = 3/' %s > %t.grouped.mlir
// RUN: sparse-opt %t.grouped.mlir --sattn-to-nvvm --mlir-print-ir-after=wgtile-specialize -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HELD2
// HELD1: scf.while {{.*}} : (index, i1, !wgtile.token, tensor
// HELD1: wgtile.consumer_drain
// HELD2: scf.while {{.*}} : (index, i1, !wgtile.token, !wgtile.token, tensor
// HELD2: wgtile.consumer_drain

func.func @product(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<PARAMETERS>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
