func.func @unused(%columns: index, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %p: tensor<?x3xi32>, %s: tensor<?x2xi32>) {
  %0, %1 = sattn.plan groups(1) columns(%columns)
      ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<?x3xi32>, tensor<?x2xi32>)
      -> tensor<?x3xi32>, tensor<?x2xi32>
  return
}
