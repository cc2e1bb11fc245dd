// A remark says where the cost model finds a dense product faster than blocks.
// RUN: sparse-opt %s --remarks-filter=sattn-.* -o /dev/null --sattn-inject-meta="target=sm_90a sizes=8192,8192,8192 sparsity=0.5" 2>&1 | FileCheck %s --implicit-check-not=DenseProduct
// CHECK: DenseProduct {{.*}}Remark="a dense product takes an estimated 0.{{[0-9]+}} of the time of these blocks"
// RUN: sparse-opt %s --remarks-filter=sattn-.* -o /dev/null --sattn-inject-meta="target=sm_90a sizes=8192,8192,8192 sparsity=0.9" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sparse-opt %s --remarks-filter=sattn-.* -o /dev/null --sattn-inject-meta="target=sm_90a" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sparse-opt %s --remarks-filter=sattn-.* -o /dev/null --sattn-inject-meta="target=cpu sizes=8192,8192,8192 sparsity=0.5" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: TileParameters
// NONE-NOT: DenseProduct
func.func @blocks_of_16(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                        %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
