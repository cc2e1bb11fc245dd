// RUN: sparse-opt %s --wgtile-slice-stores=columns=12 --verify-diagnostics
// RUN: not sparse-opt %s --wgtile-slice-stores=columns=0 2>&1 | FileCheck %s
// CHECK: error: expected 'columns' to be a positive multiple of 8, but got 0

// expected-error @below {{expected 'columns' to be a positive multiple of 8, but got 12}}
gpu.module @kernels {
}
