// RUN: sparse-opt %s --split-input-file --wgtile-overlap-launches | FileCheck %s

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Without roles all threads wait.
    // CHECK-LABEL: gpu.func @early
    // CHECK:         memref.load
    // CHECK-NEXT:    nvvm.griddepcontrol wait
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    memref.store
    gpu.func @early(%offsets: memref<?xi32>, %c: memref<?xi32>) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %c0 = arith.constant 0 : index
      %0 = memref.load %offsets[%c0] : memref<?xi32>
      memref.store %0, %c[%c0] : memref<?xi32>
      gpu.return
    }

    // Each role waits when it has read the index arrays that it needs; the first
    // one allows the next kernel.
    // CHECK-LABEL: gpu.func @roles
    // CHECK-NOT:     griddepcontrol
    // CHECK:         wgtile.roles producer
    // CHECK:           memref.load %[[OFFSETS:.*]][%{{.*}}] : memref<?xi32>
    // CHECK-NEXT:      arith.index_cast
    // CHECK-NEXT:      nvvm.griddepcontrol wait
    // CHECK-NEXT:      nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:      scf.for
    // CHECK-NOT:     griddepcontrol
    // CHECK:         consumer
    // CHECK:           memref.load %[[OFFSETS]]
    // CHECK:           scf.for
    // CHECK:             wgtile.consumer_release
    // CHECK:           nvvm.griddepcontrol wait
    // CHECK-NEXT:      memref.store
    // CHECK-NOT:     griddepcontrol
    gpu.func @roles(%offsets: memref<?xi32>, %out: memref<?xi32>, %n: index, %a: !map) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %ring = wgtile.ring warps 4 : !ring
      wgtile.roles producer warps 4 registers 0 {
        wgtile.for_each_tile (%i) in (%n) {
          %0 = memref.load %offsets[%i] : memref<?xi32>
          %end = arith.index_cast %0 : i32 to index
          scf.for %j = %c0 to %end step %c1 {
            %t = wgtile.producer_acquire %ring : !ring
            wgtile.tma_load %ring[%t] 0, %a[%i, %j] : !ring, !map
            wgtile.producer_commit %ring[%t] : !ring
          }
        }
      }, consumer warps 4 registers 0 consumer_groups 1 {
        wgtile.for_each_tile (%i) in (%n) {
          %0 = memref.load %offsets[%i] : memref<?xi32>
          %end = arith.index_cast %0 : i32 to index
          scf.for %j = %c0 to %end step %c1 {
            %t = wgtile.consumer_wait %ring : !ring
            wgtile.consumer_release %ring[%t] : !ring
          }
          memref.store %0, %out[%i] : memref<?xi32>
        }
      }
      gpu.return
    }

    // The roles of a persistent kernel go on to other tiles.
    // CHECK-LABEL: gpu.func @persistent
    // CHECK:         nvvm.griddepcontrol wait
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    wgtile.for_each_tile
    gpu.func @persistent(%offsets: memref<?xi32>, %c: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, programmatic_launch = true>} {
      wgtile.for_each_tile (%i) in (%n) {
        %0 = memref.load %offsets[%i] : memref<?xi32>
        memref.store %0, %c[%i] : memref<?xi32>
      }
      gpu.return
    }

    // The counter of tiles may be that of the kernel before.
    // CHECK-LABEL: gpu.func @counted
    // CHECK-NEXT:    nvvm.griddepcontrol wait
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    wgtile.roles
    gpu.func @counted(%counter: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, programmatic_launch = true>} {
      wgtile.roles producer warps 4 registers 0 {
        wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 1 : i64} {
          %next = wgtile.next_tile
          wgtile.end %next : i32
        }
      }
      gpu.return
    }

    // CHECK-LABEL: gpu.func @in_order
    // CHECK-NEXT:    gpu.return
    gpu.func @in_order(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = false>} {
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK:         wgtile.launch @kernels::@early {{.*}} {programmatic, reads_indices_early} :
  // CHECK:         wgtile.launch @kernels::@roles {{.*}} {programmatic, reads_indices_early} :
  // CHECK:         wgtile.launch @kernels::@persistent {{.*}} {programmatic} :
  // CHECK:         wgtile.launch @kernels::@counted {{.*}} {programmatic} :
  // CHECK:         wgtile.launch @kernels::@in_order grid(%{{.*}}) args(%{{.*}}) : index
  func.func @host(%n: index, %offsets: memref<?xi32>,
                  %out: memref<?xi32>, %a: memref<?x?xbf16>)
      attributes {sattn.contracts = [{checks = [{check = "offsets", argument = 1 : i64}]}]} {
    %map = wgtile.tensor_map %a : memref<?x?xbf16> -> !map
    wgtile.launch @kernels::@early grid(%n) args(%offsets, %out) : memref<?xi32>, memref<?xi32>
    wgtile.launch @kernels::@roles grid(%n) args(%offsets, %out, %n, %map)
        : memref<?xi32>, memref<?xi32>, index, !map
    wgtile.launch @kernels::@persistent grid(%n) args(%offsets, %out, %n)
        : memref<?xi32>, memref<?xi32>, index
    wgtile.launch @kernels::@counted grid(%n) args(%out, %n) : memref<?xi32>, index
    wgtile.launch @kernels::@in_order grid(%n) args(%n) : index
    return
  }
}

// -----

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// Numbers that may be of the kernel before are read after the wait.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @written
    // CHECK:         wgtile.roles producer
    // CHECK-NEXT:      wgtile.for_each_tile
    // CHECK-NEXT:        nvvm.griddepcontrol wait
    // CHECK-NEXT:        nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:        memref.load
    // CHECK:         consumer
    // CHECK-NEXT:      wgtile.for_each_tile
    // CHECK-NEXT:        wgtile.consumer_wait
    // CHECK-NEXT:        wgtile.consumer_release
    // CHECK-NEXT:        nvvm.griddepcontrol wait
    // CHECK-NEXT:      }
    gpu.func @written(%offsets: memref<?xi32>, %n: index, %a: !map) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %ring = wgtile.ring warps 4 : !ring
      wgtile.roles producer warps 4 registers 0 {
        wgtile.for_each_tile (%i) in (%n) {
          %0 = memref.load %offsets[%i] : memref<?xi32>
          %j = arith.index_cast %0 : i32 to index
          %t = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%t] 0, %a[%i, %j] : !ring, !map
          wgtile.producer_commit %ring[%t] : !ring
        }
      }, consumer warps 4 registers 0 consumer_groups 1 {
        wgtile.for_each_tile (%i) in (%n) {
          %t = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%t] : !ring
        }
      }
      gpu.return
    }
  }
  // CHECK:         wgtile.launch @kernels::@written {{.*}} {programmatic} :
  func.func @host(%n: index, %offsets: memref<?xi32>, %a: memref<?x?xbf16>) {
    %map = wgtile.tensor_map %a : memref<?x?xbf16> -> !map
    wgtile.launch @kernels::@written grid(%n) args(%offsets, %n, %map) : memref<?xi32>, index, !map
    return
  }
}

// -----

// Tiles that may store nothing wait in the branch of those that do; the first
// CTA does when it ends. The kernel before, from which they take
// memory of the program, is all that may run then: it lets them begin, and they
// may read index arrays.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @whole
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT:    gpu.return
    gpu.func @whole(%parts: memref<?xi32>) kernel attributes {wgtile.schedule = #wgtile.schedule<persistent = true>} {
      gpu.return
    }

    // CHECK-LABEL: gpu.func @idle
    // CHECK-NOT:     griddepcontrol
    // CHECK:         memref.load
    // CHECK:         scf.if
    // CHECK-NEXT:      nvvm.griddepcontrol wait
    // CHECK-NEXT:      memref.load
    // CHECK-NOT:     griddepcontrol
    // CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : index
    // CHECK-NEXT:    scf.if
    // CHECK-NEXT:      nvvm.griddepcontrol wait
    // CHECK-NEXT:    }
    // CHECK-NEXT:    gpu.return
    gpu.func @idle(%offsets: memref<?xi32>, %parts: memref<?xi32>, %out: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %zero = arith.constant 0 : i32
      wgtile.for_each_tile (%i) in (%n) attributes {sattn.skips_results} {
        %0 = memref.load %offsets[%i] : memref<?xi32>
        %1 = arith.cmpi sgt, %0, %zero : i32
        scf.if %1 {
          %2 = memref.load %parts[%i] : memref<?xi32>
          memref.store %2, %out[%i] : memref<?xi32>
        }
      }
      gpu.return
    }

    // What is not in a branch waits for all.
    // CHECK-LABEL: gpu.func @busy
    // CHECK:         scf.if
    // CHECK-NEXT:      nvvm.griddepcontrol wait
    // CHECK-NEXT:      memref.store
    // CHECK:         nvvm.griddepcontrol wait
    // CHECK-NEXT:    memref.store
    gpu.func @busy(%offsets: memref<?xi32>, %out: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %zero = arith.constant 0 : i32
      wgtile.for_each_tile (%i) in (%n) attributes {sattn.skips_results} {
        %0 = memref.load %offsets[%i] : memref<?xi32>
        %1 = arith.cmpi sgt, %0, %zero : i32
        scf.if %1 {
          memref.store %zero, %out[%i] : memref<?xi32>
        }
        memref.store %0, %out[%i] : memref<?xi32>
      }
      gpu.return
    }

    // So does all of a kernel that reads before its tiles.
    // CHECK-LABEL: gpu.func @early
    // CHECK-NEXT:    arith.constant
    // CHECK-NEXT:    nvvm.griddepcontrol wait
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    // CHECK-NOT:     griddepcontrol
    // CHECK:         gpu.return
    gpu.func @early(%out: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %zero = arith.constant 0 : index
      %0 = memref.load %out[%zero] : memref<?xi32>
      wgtile.for_each_tile (%i) in (%n) attributes {sattn.skips_results} {
        memref.store %0, %out[%i] : memref<?xi32>
      }
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK:         wgtile.launch @kernels::@idle {{.*}} {programmatic} :
  // CHECK:         wgtile.launch @kernels::@busy {{.*}} {programmatic, reads_indices_early} :
  func.func @host(%n: index, %offsets: memref<?xi32>, %out: memref<?xi32>)
      attributes {sattn.contracts = [{checks = [{check = "offsets", argument = 1 : i64}]}]} {
    %parts = memref.alloc(%n) : memref<?xi32>
    wgtile.launch @kernels::@whole grid(%n) args(%parts) : memref<?xi32>
    wgtile.launch @kernels::@idle grid(%n) args(%offsets, %parts, %out, %n)
        : memref<?xi32>, memref<?xi32>, memref<?xi32>, index
    wgtile.launch @kernels::@busy grid(%n) args(%offsets, %out, %n) : memref<?xi32>, memref<?xi32>, index
    wgtile.launch @kernels::@early grid(%n) args(%out, %n) : memref<?xi32>, index
    return
  }
}

// -----

// A caller may skip the kernel before: others may then be running.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @before(%parts: memref<?xi32>) kernel attributes {wgtile.schedule = #wgtile.schedule<persistent = true>} {
      gpu.return
    }
    gpu.func @after(%offsets: memref<?xi32>, %parts: memref<?xi32>, %n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
      %zero = arith.constant 0 : i32
      wgtile.for_each_tile (%i) in (%n) attributes {sattn.skips_results} {
        %0 = memref.load %offsets[%i] : memref<?xi32>
        %1 = arith.cmpi sgt, %0, %zero : i32
        scf.if %1 {
          memref.store %0, %parts[%i] : memref<?xi32>
        }
      }
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @skipped
  // CHECK:         wgtile.launch @kernels::@after {{.*}} {programmatic, reads_indices_early} :
  func.func @skipped(%n: index, %offsets: memref<?xi32>)
      attributes {sattn.contracts = [{checks = [{check = "offsets", argument = 1 : i64}]}]} {
    %parts = memref.alloc(%n) : memref<?xi32>
    wgtile.launch @kernels::@before grid(%n) args(%parts) preprocess : memref<?xi32>
    wgtile.launch @kernels::@after grid(%n) args(%offsets, %parts, %n) : memref<?xi32>, memref<?xi32>, index
    return
  }
}
