// REQUIRES: ptxas
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %check_ptx %t.ptx
// RUN: sparse-translate --to=manifest %s | FileCheck %s --check-prefix=MANIFEST
// RUN: sparse-translate --to=ptx --chip=sm_80 %s | FileCheck %s --check-prefix=SM80
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills ptxas=%ptxas delays=500" -o /dev/null
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null

// A row of 128 x 128 blocks is shared by four CTAs, whose sums the first
// reads from the others' shared memory.
// CHECK:         .visible .entry product(
// CHECK:         .reqnctapercluster 4, 1, 1
// CHECK:         prefetch.tensormap
// CHECK:         mbarrier.init
// CHECK:         ld.relaxed.gpu.global.b32
// CHECK:         cp.async.bulk.prefetch.tensor.3d.L2.global
// CHECK:         griddepcontrol.wait
// CHECK-NEXT:    griddepcontrol.launch_dependents
// CHECK:         st.shared.v4.f32
// CHECK:         barrier.cluster.arrive.aligned
// CHECK-NEXT:    barrier.cluster.wait.aligned
// CHECK-COUNT-6: ld.shared::cluster.v4.f32
// CHECK:         barrier.cluster.arrive.aligned
// CHECK-NEXT:    barrier.cluster.wait.aligned
// CHECK:         griddepcontrol.wait
// CHECK:         cp.async.bulk.tensor.2d.global.shared::cta

// MANIFEST: "programmatic":true,"reads_indices_early":true
// SM80-NOT: cluster
// SM80:     mma.sync
func.func @product(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                   %values: tensor<?x128x128xbf16>, %x: tensor<?x?xbf16>,
                   %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %x : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x128xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {transpose_b, transpose_out, meta = #sattn.meta<tile = [128, 16, 64], split_k = 4>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
