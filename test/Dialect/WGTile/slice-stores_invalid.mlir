// RUN: sparse-opt %s --wgtile-slice-stores=bytes=12 --verify-diagnostics
// RUN: not sparse-opt %s --wgtile-slice-stores=bytes=0 2>&1 | FileCheck %s
// CHECK: error: expected 'bytes' to be a positive multiple of 64, but got 0

// expected-error @below {{expected 'bytes' to be a positive multiple of 64, but got 12}}
gpu.module @kernels {
}
