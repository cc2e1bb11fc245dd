func.func @memrefs(%columns: index, %crow: memref<?xi32>, %col: memref<?xi32>,
                   %p: memref<?x3xi32>, %s: memref<?x2xi32>) {
  sattn.plan groups(1) columns(%columns)
      ins(%crow, %col : memref<?xi32>, memref<?xi32>)
      outs(%p, %s : memref<?x3xi32>, memref<?x2xi32>)
  return
}
