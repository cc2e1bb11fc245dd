// RUN: sparse-opt %s --sattn-cpu-register-tile --split-input-file --verify-diagnostics

func.func @unbounded(%value: f32, %out: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<1x?xf32>) {
    // expected-error @below {{expected rows of bounded length}}
    %f = linalg.fill ins(%value : f32) outs(%o : tensor<1x?xf32>) -> tensor<1x?xf32>
    %c1 = arith.constant 1 : index
    %n = tensor.dim %out, %c1 : tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %o[0, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<1x?xf32>
    }
  }
  return %0 : tensor<1x?xf32>
}

// -----

func.func @dynamic_product(%l: tensor<?x8xf32>, %r: tensor<8x?xf32>, %out: tensor<?x?xf32>,
                           %m: index, %n: index)
    -> tensor<?x?xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<?x?xf32>) {
    // expected-error @below {{expected tiles of static sizes, but got 'tensor<?x?xf32>'}}
    %p = linalg.matmul ins(%l, %r : tensor<?x8xf32>, tensor<8x?xf32>)
        outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    }
  }
  return %0 : tensor<?x?xf32>
}
