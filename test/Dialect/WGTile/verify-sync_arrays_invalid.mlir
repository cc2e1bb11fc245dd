// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))'

// Arrays of the module in shared memory.

// Another thread may not have stored yet.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @store_load(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    memref.store %value, %array[%t] : memref<128xi32, 3>
    // expected-error @below {{'memref.load' op expected a barrier between the threads' writes of the tile and this access}}
    %0 = memref.load %array[%c0] : memref<128xi32, 3>
    memref.store %0, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// Another thread may not have loaded yet.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @load_store(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %0 = memref.load %array[%c0] : memref<128xi32, 3>
    // expected-error @below {{'memref.store' op expected a barrier between the last reads of the tile and this write}}
    memref.store %value, %array[%t] : memref<128xi32, 3>
    memref.store %0, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// An update of what is not there yet.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @store_update(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    memref.store %value, %array[%t] : memref<128xi32, 3>
    // expected-error @below {{'memref.atomic_rmw' op expected a barrier between the threads' writes of the tile and this access}}
    %0 = memref.atomic_rmw addi %value, %array[%c0] : (i32, memref<128xi32, 3>) -> i32
    gpu.return
  }
}

// -----

// A store over updates of others.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @update_store(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %0 = memref.atomic_rmw addi %value, %array[%c0] : (i32, memref<128xi32, 3>) -> i32
    // expected-error @below {{'memref.store' op expected a barrier between the threads' writes of the tile and this access}}
    memref.store %value, %array[%t] : memref<128xi32, 3>
    gpu.return
  }
}

// -----

// Updates of others are not complete.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @update_load(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %0 = memref.atomic_rmw addi %value, %array[%c0] : (i32, memref<128xi32, 3>) -> i32
    // expected-error @below {{'memref.load' op expected a barrier between the threads' writes of the tile and this access}}
    %1 = memref.load %array[%t] : memref<128xi32, 3>
    memref.store %1, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// The next iteration stores what slower threads still load.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @loop(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{'memref.store' op expected a barrier between the last reads of the tile and this write}}
      memref.store %value, %array[%t] : memref<128xi32, 3>
      gpu.barrier
      %0 = memref.load %array[%c0] : memref<128xi32, 3>
      memref.store %0, %out[%t] : memref<?xi32>
    }
    gpu.return
  }
}

// -----

// Threads wait for different numbers of barriers.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @divergent_bound(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %c1 = arith.constant 1 : index
    %0 = memref.load %array[%t] : memref<128xi32, 3>
    %end = arith.index_cast %0 : i32 to index
    // expected-note @below {{the branch or loop}}
    scf.for %i = %c0 to %end step %c1 {
      // expected-error @below {{'gpu.barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// The number that an update returns is another for each thread.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @divergent_update(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    %0 = memref.atomic_rmw addi %value, %array[%c0] : (i32, memref<128xi32, 3>) -> i32
    %is_first = arith.cmpi eq, %0, %value : i32
    // expected-note @below {{the branch or loop}}
    scf.if %is_first {
      // expected-error @below {{'gpu.barrier' op expected to be reached by all threads or none, but a condition or a bound around it may differ between threads}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

// One array by two names.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @names(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    // expected-note @-1 {{another one of it}}
    // expected-error @below {{'memref.get_global' op expected one memref.get_global for each array in shared memory}}
    %again = memref.get_global @array : memref<128xi32, 3>
    memref.store %value, %array[%t] : memref<128xi32, 3>
    %0 = memref.load %again[%c0] : memref<128xi32, 3>
    memref.store %0, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// A part of an array is another name.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @view(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    // expected-error @below {{'memref.subview' op expected shared memory in rings and tiles of wgtile, or in arrays of the module that are loaded from and stored to, but got 'memref<128xi32, 3>'}}
    %part = memref.subview %array[0] [64] [1] : memref<128xi32, 3> to memref<64xi32, strided<[1]>, 3>
    %0 = memref.load %part[%c0] : memref<64xi32, strided<[1]>, 3>
    memref.store %0, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// So is its address.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @cast(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    // expected-error @below {{'memref.memory_space_cast' op expected shared memory in rings and tiles of wgtile, or in arrays of the module that are loaded from and stored to, but got 'memref<128xi32, 3>'}}
    %generic = memref.memory_space_cast %array : memref<128xi32, 3> to memref<128xi32>
    %0 = memref.load %generic[%c0] : memref<128xi32>
    memref.store %0, %out[%t] : memref<?xi32>
    gpu.return
  }
}

// -----

// Threads copy all of it.
gpu.module @kernels {
  memref.global "private" @array : memref<128xi32, 3> = uninitialized
  gpu.func @copies(%value: i32, %out: memref<?xi32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %array = memref.get_global @array : memref<128xi32, 3>
    // expected-error @below {{'memref.copy' op expected shared memory in rings and tiles of wgtile, or in arrays of the module that are loaded from and stored to, but got 'memref<128xi32, 3>'}}
    memref.copy %array, %array : memref<128xi32, 3> to memref<128xi32, 3>
    gpu.return
  }
}
