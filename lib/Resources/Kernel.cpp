//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Kernel.h"

#include "sattn/Layout/Fragment.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

using namespace sattn::resources;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

/// The unit in which registers are given to threads.
static constexpr int64_t kRegisterUnit = 8;
/// Registers that the producer's threads keep, the first number that leaves the
/// consumers enough: indices are 64 bits wide. The first of all are for one
/// that searches memory.
static constexpr int64_t kProducerRegisters[] = {64, 56, 40, 32};
/// The fewest that others can do with: 64-bit indices spill, outside loops
/// mostly.
static constexpr int64_t kFewestProducerRegisters = 24;
/// Registers that consumers need beside their tiles, for addresses and scalars.
static constexpr int64_t kConsumerRegisters = 32;
/// The fewest that they can do with beside tiles that are live at one time.
static constexpr int64_t kFewestOtherRegisters = 24;

int64_t KernelModel::getProducerThreads(int64_t consumerThreads) {
  return consumerThreads % kWarpgroupThreads == 0 ? kWarpgroupThreads
                                                  : kWarpThreads;
}

int64_t KernelModel::getRegisters(int64_t threads, int64_t ctasPerSM) const {
  return llvm::alignDown(std::min(chip.registersPerThread,
                                  chip.registersPerSM / ctasPerSM / threads),
                         kRegisterUnit);
}

RoleRegisters KernelModel::getRoleRegisters(int64_t consumerThreads,
                                            int64_t ctasPerSM, int64_t tiles,
                                            int64_t liveTiles,
                                            bool searches) const {
  int64_t threads = consumerThreads + getProducerThreads(consumerThreads);
  RoleRegisters registers{getRegisters(threads, ctasPerSM)};
  if (consumerThreads % kWarpgroupThreads != 0)
    return registers;
  auto split = [&](int64_t producer) {
    registers.producer = std::min(registers.entry, producer);
    int64_t left =
        (threads * registers.entry - kWarpgroupThreads * registers.producer) /
        consumerThreads;
    registers.consumer =
        llvm::alignDown(std::min(chip.registersPerThread, left), kRegisterUnit);
  };
  for (int64_t wanted :
       llvm::ArrayRef(kProducerRegisters).drop_front(searches ? 0 : 1)) {
    split(wanted);
    if (registers.consumer >= tiles + kConsumerRegisters)
      break;
  }
  if (RoleRegisters others = registers;
      !searches && !fitsTiles(registers, liveTiles)) {
    split(kFewestProducerRegisters);
    if (!fitsTiles(registers, liveTiles))
      registers = others;
  }
  // Registers that the consumers' unit leaves over.
  int64_t left =
      threads * registers.entry - consumerThreads * registers.consumer;
  int64_t spare = llvm::alignDown(
      std::min(registers.entry, left / kWarpgroupThreads), kRegisterUnit);
  registers.producer = std::max(registers.producer, spare);
  return registers;
}

bool KernelModel::fitsTiles(const RoleRegisters &registers, int64_t liveTiles) {
  return registers.consumer >= liveTiles + kFewestOtherRegisters;
}
