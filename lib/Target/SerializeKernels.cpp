//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Support/SourceOp.h"
#include "sattn/Target/NVPTX.h"
#include "sattn/Target/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNSERIALIZEKERNELS
#include "sattn/Target/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Whether an op calls a library where the GPU has no instruction for it: LLVM
/// then ends the process, or does not say where that is.
static bool callsLibrary(Operation *op) {
  if (!isa<LLVM::ACosOp, LLVM::ASinOp, LLVM::ATan2Op, LLVM::ATanOp, LLVM::CosOp,
           LLVM::CoshOp, LLVM::Exp10Op, LLVM::Exp2Op, LLVM::ExpOp,
           LLVM::Log10Op, LLVM::Log2Op, LLVM::LogOp, LLVM::PowIOp, LLVM::PowOp,
           LLVM::SinOp, LLVM::SinhOp, LLVM::TanOp, LLVM::TanhOp>(op))
    return false;
  auto flags = cast<LLVM::FastmathFlagsInterface>(op);
  bool isApproximate = op->getResult(0).getType().isF32() &&
                       bitEnumContainsAll(flags.getFastmathAttr().getValue(),
                                          LLVM::FastmathFlags::afn);
  return !(
      isApproximate &&
      isa<LLVM::CosOp, LLVM::Exp2Op, LLVM::Log2Op, LLVM::SinOp, LLVM::TanhOp>(
          op));
}

/// Checks that the chip has the kernels' instructions: LLVM ends the process at
/// one that it lacks.
static LogicalResult checkInstructions(gpu::GPUModuleOp module,
                                       const Chip &target) {
  auto version =
      NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(target.name);
  WalkResult walk = module.walk([&](Operation *op) {
    if (callsLibrary(op)) {
      emitSourceError(op->getLoc())
          << "expected a function that a GPU can compute, but got '"
          << op->getName() << "' of " << op->getResult(0).getType();
      return WalkResult::interrupt();
    }
    auto required = dyn_cast<NVVM::RequiresSMInterface>(op);
    bool isMissing =
        (required &&
         !required.getRequiredMinSMVersion().isCompatibleWith(version)) ||
        (isa<NVVM::FenceMbarrierInitOp>(op) && !target.hasClusters);
    if (!isMissing)
      return WalkResult::advance();
    op->emitOpError() << "expected an instruction that " << target.name
                      << " has; was the kernel made for another chip?";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct SerializeKernelsPass
    : public sattn::impl::SAttnSerializeKernelsBase<SerializeKernelsPass> {
  using SAttnSerializeKernelsBase::SAttnSerializeKernelsBase;

  void runOnOperation() override {
    auto emitError = [&] { return getOperation().emitError(); };
    FailureOr<Chip> target = lookupChip(chip, emitError);
    if (failed(target))
      return signalPassFailure();
    if (format != "ptx" && format != "cubin") {
      emitError() << "expected format ptx or cubin, but got '"
                  << format.getValue() << "'";
      return signalPassFailure();
    }
    for (auto module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(module, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult serialize(gpu::GPUModuleOp module, const Chip &target) {
    if (failed(checkInstructions(module, target)))
      return failure();
    // Translation takes the kernels away.
    llvm::StringMap<Location> kernels;
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      kernels.try_emplace(kernel.getName(), kernel.getLoc());
    auto emitAt = [&](StringRef kernel, bool isWarning) {
      auto it = kernels.find(kernel);
      Location loc = it == kernels.end() ? module.getLoc() : it->second;
      return isWarning ? emitWarning(loc) : emitSourceError(loc);
    };
    FailureOr<std::string> image = translateToPTX(module, target);
    if (failed(image))
      return failure();
    auto kind = gpu::CompilationTarget::Assembly;
    if (format == "cubin") {
      kind = gpu::CompilationTarget::Binary;
      image = assemble(*image, target, ptxas, refuseSpills, emitAt);
      if (failed(image))
        return failure();
    }
    OpBuilder b(module);
    auto targetAttr = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                                "nvptx64-nvidia-cuda",
                                                target.name, target.features);
    auto object = gpu::ObjectAttr::get(
        b.getContext(), targetAttr, kind, b.getStringAttr(*image),
        /*properties=*/DictionaryAttr(), /*kernels=*/gpu::KernelTableAttr());
    gpu::BinaryOp::create(b, module.getLoc(), module.getName(),
                          /*offloadingHandler=*/Attribute(),
                          ArrayRef<Attribute>{object});
    module.erase();
    return success();
  }
};
} // namespace
