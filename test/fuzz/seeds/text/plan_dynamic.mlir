func.func @dynamic(%columns: index, %count: index, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>) -> (tensor<?x4xi32>, tensor<?x3xi32>) {
  %c0 = arith.constant 0 : index
  %nnz = tensor.dim %col, %c0 : tensor<?xi32>
  %c = tensor.empty(%count) : tensor<?x4xi32>
  %s = tensor.empty(%nnz) : tensor<?x3xi32>
  %row_block_groups, %steps = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
      outs(%c, %s : tensor<?x4xi32>, tensor<?x3xi32>)
      -> tensor<?x4xi32>, tensor<?x3xi32>
  return %row_block_groups, %steps : tensor<?x4xi32>, tensor<?x3xi32>
}
