// RUN: sparse-opt %s --wgtile-subtile-epilogue=bytes=12 --verify-diagnostics
// RUN: not sparse-opt %s --wgtile-subtile-epilogue=bytes=0 2>&1 | FileCheck %s
// RUN: not sparse-opt %s --wgtile-subtile-epilogue=bytes=4611686018427387904 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: expected 'bytes' to be a positive multiple of 64 up to 1048576, but got 4611686018427387904
// CHECK: error: expected 'bytes' to be a positive multiple of 64 up to 1048576, but got 0

// expected-error @below {{expected 'bytes' to be a positive multiple of 64 up to 1048576, but got 12}}
gpu.module @kernels {
}
