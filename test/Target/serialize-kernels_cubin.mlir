// What ptxas says decides; these are all it could say.
// RUN: echo '#!/bin/sh' > %t.words
// RUN: echo 'echo "ptxas info : Used 40 registers, 0 bytes spill stores, 0 bytes spill loads"; while [ "$1" != -o ]; do shift; done; echo made by "$0" > "$2"' >> %t.words
// RUN: chmod +x %t.words
// RUN: sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.words" | FileCheck %s
// RUN: env SATTN_PTXAS=%t.words sparse-opt %s --sattn-serialize-kernels=format=cubin | FileCheck %s
// CHECK:      gpu.binary @kernels
// CHECK-SAME:   #gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx86">, bin = "made by {{.*}}.words\0A">

// RUN: echo '#!/bin/sh' > %t.arguments
// RUN: echo 'echo "$@"; exit 3' >> %t.arguments
// RUN: chmod +x %t.arguments
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.arguments" 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: error: ptxas refused the kernel: -arch=sm_90a -v --split-compile=0 /proc/[[PID:[0-9]+]]/fd/{{[0-9]+}} -o /proc/[[PID]]/fd/{{[0-9]+}}

// RUN: echo '#!/bin/sh' > %t.killed
// RUN: echo 'kill -9 $$' >> %t.killed
// RUN: chmod +x %t.killed
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.killed" 2>&1 | FileCheck %s --check-prefix=KILLED
// KILLED: error: ptxas refused the kernel: Killed

// RUN: echo '#!/bin/sh' > %t.mute
// RUN: echo 'exit 3' >> %t.mute
// RUN: chmod +x %t.mute
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.mute" 2>&1 | FileCheck %s --check-prefix=MUTE
// MUTE: error: ptxas refused the kernel: no words, but exit code 3

// RUN: echo '#!/bin/sh' > %t.idle
// RUN: chmod +x %t.idle
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.idle" 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: error: expected a cubin from {{.*}}.idle, but got nothing

// It ends with the process that waits for it.
// RUN: echo '#!/bin/sh' > %t.slow
// RUN: echo 'echo $$ > "$0.pid"; exec sleep 1000' >> %t.slow
// RUN: chmod +x %t.slow
// RUN: rm -f %t.slow.pid
// RUN: %python %S/Inputs/end_early.py %t.slow.pid sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.slow"

// Nothing is written to a disk, which may be full.
// RUN: env TMPDIR=/dev/full sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.words" | FileCheck %s

// RUN: echo '#!/bin/sh' > %t.spills
// RUN: echo 'echo "ptxas info : 8 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads"; while [ "$1" != -o ]; do shift; done; echo made by "$0" > "$2"' >> %t.spills
// RUN: chmod +x %t.spills
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.spills refuse-spills" 2>&1 | FileCheck %s --check-prefix=SPILLS
// SPILLS: error: registers spill; choose smaller tiles: {{.*}}16 bytes spill stores
// RUN: sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.spills" 2>&1 | FileCheck %s --check-prefix=SPILLED
// SPILLED: warning: registers spill; choose smaller tiles: {{.*}}16 bytes spill stores
// SPILLED: gpu.binary @kernels

// RUN: echo '#!/bin/sh' > %t.serialized
// RUN: echo 'echo "ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources"' >> %t.serialized
// RUN: chmod +x %t.serialized
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.serialized" 2>&1 | FileCheck %s --check-prefix=SERIALIZED
// SERIALIZED: error: ptxas serialized wgmma: {{.*}}C7510

gpu.module @kernels {
  llvm.func @kernel(%x: f32, %out: !llvm.ptr)
      attributes {gpu.kernel, nvvm.kernel,
                  nvvm.reqntid = array<i32: 128, 1, 1>} {
    llvm.store %x, %out : f32, !llvm.ptr
    llvm.return
  }
}
