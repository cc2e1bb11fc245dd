// RUN: sparse-opt %s --wgtile-overlap-launches | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @early
    // CHECK-NEXT:    nvvm.griddepcontrol wait
    // CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
    gpu.func @early(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
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
  // CHECK:         wgtile.launch @kernels::@early {{.*}} {programmatic} : index
  // CHECK-NOT:     programmatic
  func.func @host(%n: index) {
    wgtile.launch @kernels::@early grid(%n) args(%n) : index
    wgtile.launch @kernels::@in_order grid(%n) args(%n) : index
    return
  }
}
