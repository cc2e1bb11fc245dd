// RUN: sparse-opt %s --sattn-tile --cse --split-input-file | FileCheck %s

// A tile of a part of a block row: these rows of the row's blocks.
// CHECK-DAG:   #[[BLOCK:.*]] = affine_map<(d0) -> (d0 floordiv 128)>
// CHECK-DAG:   #[[PART:.*]] = affine_map<(d0) -> (d0 mod 128)>
// CHECK-LABEL: func.func @part
// CHECK-SAME:    %[[CROW:.*]]: tensor<?xi32>, %{{.*}}: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x128x64xbf16>
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = {{.*}} step (32, 16)
// CHECK-DAG:       %[[ROW:.*]] = affine.apply #[[BLOCK]](%[[I]])
// CHECK-DAG:       tensor.extract_slice %[[CROW]][%[[ROW]]] [2] [1]
// CHECK:           scf.for %[[P:[a-z0-9]+]] = {{.*}} -> (tensor<32x16xf32>)
// CHECK:             %[[IN_BLOCK:.*]] = affine.apply #[[PART]](%[[I]])
// CHECK:             tensor.extract_slice %[[VALUES]][%[[P]], %[[IN_BLOCK]], 0] [1, 32, 64] [1, 1, 1] : tensor<?x128x64xbf16> to tensor<32x64xbf16>
// CHECK:         mapping = {{.*}}, sattn.split_k = 2 : i64
func.func @part(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x128x64xbf16>,
                %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x128x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [32, 16, 64], split_k = 2>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
