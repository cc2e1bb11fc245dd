// RUN: sparse-opt %s --convert-sattn-plan-to-gpu --verify-diagnostics

func.func @tensors(%columns: index, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                   %p: tensor<?x4xi32>, %s: tensor<?x3xi32>)
    -> tensor<?x4xi32> {
  // expected-error @below {{expected memrefs, but got tensors}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<?x4xi32>, tensor<?x3xi32>)
      -> tensor<?x4xi32>, tensor<?x3xi32>
  return %0 : tensor<?x4xi32>
}
