//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/Resources.h"

#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

/// Registers are given to threads in this unit.
static constexpr int64_t kRegisterUnit = 8;
/// Registers that ptxas needs for a wgmma beside its accumulator.
static constexpr int64_t kWgmmaRegisters = 26;
/// Registers that the producer's threads keep, the first number that leaves the
/// consumers enough: indices are 64 bits wide. The first of all are for one
/// that searches memory.
static constexpr int64_t kProducerRegisters[] = {64, 56, 40, 32};
/// The fewest that others can do with: 64-bit indices spill, outside loops
/// mostly.
static constexpr int64_t kFewestProducerRegisters = 24;
/// Registers that consumers need beside their tiles, for addresses and scalars;
/// and, where they compute a left operand, for vectors of rows and for what is
/// computed at one time.
static constexpr int64_t kConsumerRegisters = 32;
static constexpr int64_t kLeftOperandRegisters = 20;
/// The fewest that they can do with beside tiles that are live at one time.
static constexpr int64_t kFewestOtherRegisters = 24;

FailureOr<ResourceModel> ResourceModel::get(Operation *op) {
  auto module = isa<gpu::GPUModuleOp>(op)
                    ? cast<gpu::GPUModuleOp>(op)
                    : op->getParentOfType<gpu::GPUModuleOp>();
  auto target = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName)
                       : TargetAttr();
  if (target)
    return ResourceModel(target.getResources());
  return op->emitOpError() << "expected a gpu.module with '" << kTargetAttrName
                           << "' (wgtile-attach-target)";
}

int64_t ResourceModel::getProducerThreads(int64_t consumerThreads) {
  return consumerThreads % kWarpgroupThreads == 0 ? kWarpgroupThreads
                                                  : kWarpThreads;
}

int64_t ResourceModel::getRegisters(int64_t threads, int64_t ctasPerSM) const {
  return llvm::alignDown(std::min(chip.registersPerThread,
                                  chip.registersPerSM / ctasPerSM / threads),
                         kRegisterUnit);
}

RoleRegisters ResourceModel::getRoleRegisters(int64_t consumerThreads,
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
       ArrayRef(kProducerRegisters).drop_front(searches ? 0 : 1)) {
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
  // What the consumers' unit leaves over.
  int64_t left =
      threads * registers.entry - consumerThreads * registers.consumer;
  int64_t spare = llvm::alignDown(
      std::min(registers.entry, left / kWarpgroupThreads), kRegisterUnit);
  registers.producer = std::max(registers.producer, spare);
  return registers;
}

bool ResourceModel::fitsTiles(const RoleRegisters &registers,
                              int64_t liveTiles) {
  return registers.consumer >= liveTiles + kFewestOtherRegisters;
}

int64_t ResourceModel::getTileRegisters(Operation *root, int64_t threads) {
  DenseMap<Block *, int64_t> inBlock;
  int64_t most = 0;
  root->walk([&](MmaOpInterface op) {
    int64_t &count = inBlock[op->getBlock()];
    count += op.getResult().getType().getNumElements() / threads;
    if (auto left = dyn_cast<RankedTensorType>(op.getA().getType()))
      count +=
          left.getElementTypeBitWidth() * left.getNumElements() / 32 / threads +
          kLeftOperandRegisters;
    most = std::max(most, count);
  });
  return most;
}

int64_t ResourceModel::getWgmmaRegisters(Operation *root, int64_t threads) {
  int64_t most = 0;
  root->walk([&](MmaOpInterface op) {
    if (!op.getMmaSync())
      most =
          std::max(most, op.getResult().getType().getNumElements() / threads +
                             kWgmmaRegisters);
  });
  return most;
}

bool ResourceModel::fitsWgmma(MmaOp op) {
  using sattn::layout::Major;
  auto fits = [](Type type, Major major) {
    auto tile = dyn_cast<SharedType>(type);
    return !tile ||
           sattn::layout::wgmmaSwizzle(tile.getRows(), tile.getColumns(),
                                       tile.getElementBytes(), major) != 0;
  };
  RankedTensorType type = op.getResult().getType();
  return sattn::layout::isWgmmaResult(type.getDimSize(0), type.getDimSize(1),
                                      type.getElementType().isInteger()) &&
         fits(op.getA().getType(), op.getTransposeA() ? Major::MN : Major::K) &&
         fits(op.getB().getType(), op.getTransposeB() ? Major::K : Major::MN);
}
