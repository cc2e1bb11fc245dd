func.func @batches(%columns: index, %crow: tensor<5x11xi64>,
                   %col: tensor<5x?xi64>, %p: tensor<5x3x6xi32>,
                   %s: tensor<5x?x5xi32>)
    -> (tensor<5x3x6xi32>, tensor<5x?x5xi32>) {
  %row_block_groups, %steps = sattn.plan groups(4) columns(%columns)
      ins(%crow, %col : tensor<5x11xi64>, tensor<5x?xi64>)
      outs(%p, %s : tensor<5x3x6xi32>, tensor<5x?x5xi32>)
      -> tensor<5x3x6xi32>, tensor<5x?x5xi32>
  return %row_block_groups, %steps : tensor<5x3x6xi32>, tensor<5x?x5xi32>
}
