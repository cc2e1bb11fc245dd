// RUN: sparse-opt %s --convert-wgtile-to-nvvm --canonicalize | FileCheck %s
// RUN: sparse-translate --to=ptx %S/../../Pipelines/gpu_flex_attention_backward.mlir | FileCheck %s --check-prefix=PTX

!columns = tensor<8xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!pairs = tensor<64x8xbf16, #wgtile.mma<warps = 4>>

// What is read as words is negated as f32, not by its bits: an exclusive or would wait for the
// read where LLVM puts it, before MMAs that do not need it.
// PTX-NOT: xor.b32 {{.*}}, -2147483648;

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @of_f32
  // CHECK-COUNT-2: llvm.inline_asm asm_dialect = att "neg.f32 $0, $1;", "=f,f" %{{.*}} : (f32) -> f32
  // CHECK-NOT:     arith.negf
  gpu.func @of_f32(%x: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = wgtile.read %x[%c0] in_bounds [true] : memref<?xf32> -> !columns
    %n = arith.negf %v : !columns
    wgtile.store %n, %out[%c0] in_bounds [true] : !columns, memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @of_pairs
  // CHECK-NOT:     neg.f32
  // CHECK:         arith.negf %{{.*}} : vector<2xbf16>
  gpu.func @of_pairs(%x: memref<?x?xbf16>, %out: memref<?x?xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = wgtile.read %x[%c0, %c0] in_bounds [true, true] : memref<?x?xbf16> -> !pairs
    %n = arith.negf %v : !pairs
    wgtile.store %n, %out[%c0, %c0] in_bounds [true, true] : !pairs, memref<?x?xbf16>
    gpu.return
  }
}
