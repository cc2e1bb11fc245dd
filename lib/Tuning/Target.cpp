//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Target.h"

#include "sattn/Resources/HostCpu.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace sattn;

/// Whether a device has a chip: the device's name begins with the chip's,
/// "NVIDIA A100" for "NVIDIA A100-PCIE-40GB". A digit that follows makes it
/// another chip.
static bool isChip(llvm::StringRef device, llvm::StringRef chip) {
  return device.consume_front(chip) &&
         (device.empty() || !llvm::isDigit(device.front()));
}

static bool isHopper(llvm::StringRef device) {
  return isChip(device, "NVIDIA H100") || isChip(device, "NVIDIA H200") ||
         isChip(device, "NVIDIA GH200");
}

bool sattn::tuning::takesRowsOf(llvm::StringRef device, llvm::StringRef other) {
  if (isChip(device, "NVIDIA A100"))
    return other == "NVIDIA A100-SXM4-80GB";
  return isHopper(device) && isHopper(other);
}

std::string sattn::tuning::getHostDevice() {
  if (llvm::Expected<resources::HostCpu> cpu = resources::getHostCpu())
    return "CPU " + cpu->name;
  else
    llvm::consumeError(cpu.takeError());
  return "CPU " + llvm::sys::getHostCPUName().str();
}
