// The ops after a product are part of its kernel: one of them, in two versions,
// of which the host launches one, and no memory between.

// RUN: sparse-opt %s --sattn-to-nvvm --mlir-print-ir-before=wgtile-outline-kernels -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.copy \
// RUN:     --implicit-check-not=linalg. --implicit-check-not='tensor<'
// RUN: sparse-translate --to=ptx %s -o %t.ptx
// RUN: %check_ptx %t.ptx | FileCheck %s --check-prefix=PTXAS
// RUN: sparse-opt %s --sattn-to-cubin="refuse-spills schedule=plain ptxas=%ptxas" -o /dev/null
// PTXAS-DAG: {{^}}bias_relu: {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}bias_relu_generic: {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}in_place: {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}in_place_generic: {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}batches: {{.*}} 0 bytes of stack
// PTXAS-DAG: {{^}}batches_generic: {{.*}} 0 bytes of stack
// RUN: grep "\.entry" %t.ptx | grep -vc "_order\|_copy" | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}6{{$}}

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#i = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @bias_relu(
// CHECK:         scf.forall
// CHECK:           vector.transfer_read %{{.*}} : memref<?xbf16
// CHECK:           arith.select
// CHECK:           arith.truncf
// CHECK:           vector.transfer_write {{.*}} memref<
// CHECK-NOT:     scf.forall
// CHECK:         return
func.func @bias_relu(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                     %bias: tensor<?xbf16>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %out, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%empty : tensor<?x?xf32>) {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x?xf32>, tensor<?xbf16>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: bf16, %z: f32):
    %3 = arith.extf %y : bf16 to f32
    %4 = arith.addf %x, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<?x?xf32>) outs(%out : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %z: bf16):
    %3 = arith.cmpf ugt, %x, %zero : f32
    %4 = arith.select %3, %x, %zero : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<?x?xbf16>
  return %2 : tensor<?x?xbf16>
}

// Scalars known at run time, a factor of each row, and the result over what is
// added: it is read and written in one place.
// CHECK-LABEL: func.func @in_place(
// CHECK:         scf.forall
// CHECK-NOT:     scf.forall
// CHECK:         return %{{.*}} : memref<
func.func @in_place(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf16>,
                    %b: tensor<?x?xf16>, %row: tensor<?xf32>, %out: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xf16>) {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xf16>
  %1 = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %row : tensor<?x?xf16>, tensor<?xf32>) outs(%out : tensor<?x?xf16>) {
  ^bb0(%x: f16, %y: f32, %z: f16):
    %2 = arith.extf %x : f16 to f32
    %3 = arith.mulf %2, %y : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
}

// Named ops, batches, sizes that are known.
// CHECK-LABEL: func.func @batches(
// CHECK:         scf.forall
// CHECK-NOT:     scf.forall
// CHECK:         return %{{.*}} : memref<
func.func @batches(%crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x128x128xbf16>, %b: tensor<3x512x200xbf16>,
                   %bias: tensor<3x200xf32>, %out: tensor<3x1024x200xf32>) -> tensor<3x1024x200xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x1024x200xf32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x128x128xbf16>, tensor<3x512x200xbf16>)
      outs(%empty : tensor<3x1024x200xf32>) {meta = #sattn.meta<tile = [128, 128, 64]>} -> tensor<3x1024x200xf32>
  %1 = linalg.broadcast ins(%bias : tensor<3x200xf32>) outs(%empty : tensor<3x1024x200xf32>) dimensions = [1]
  %2 = linalg.add ins(%0, %1 : tensor<3x1024x200xf32>, tensor<3x1024x200xf32>) outs(%out : tensor<3x1024x200xf32>)
      -> tensor<3x1024x200xf32>
  return %2 : tensor<3x1024x200xf32>
}
