//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/NVPTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <atomic>

using namespace mlir;
using namespace sattn;

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(Operation *op, const Chip &chip) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    op->emitError() << "expected LLVM's NVPTX target, but got: " << error;
    return nullptr;
  }
  // Aggressive adds two runs of GVN, whose gain ptxas has by itself.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip.name, chip.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// The passes of -O1 that ptxas, which optimizes again, does not make up for.
/// They were found by leaving out one pass after the other while neither
/// registers nor instructions of loops increased. Loops are not unrolled, since
/// that copies asynchronous MMAs, and nothing is vectorized: scalars are
/// register tiles. Variables on the stack, the phases of barriers, become
/// registers late, so that they do not become induction variables. Common code
/// of a tile's epilogues at the edge and inside is shared at the end;
/// duplicated, it spills.
static constexpr llvm::StringLiteral kOptimization =
    "function(nvvm-intr-range),ipsccp,"
    "function(instcombine<no-verify-fixpoint>,early-cse<memssa>,reassociate,"
    "loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,"
    "loop(indvars),sroa,sccp,loop-mssa(licm),"
    "simplifycfg<hoist-common-insts;sink-common-insts>)";

namespace {
/// Passes that LLVM's code generation for NVPTX adds at every level above -O0,
/// and whose gain ptxas has by itself.
class CodegenGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) const override {
    return pass != "nary-reassociate" && pass != "load-store-vectorizer";
  }
};
} // namespace

/// Moves the single results of inline assembly back to it, from the blocks that
/// InstCombine sank them to: there instruction selection would copy all of the
/// 128 registers of an MMA for each of them.
static void collectResults(llvm::Function &function) {
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto part = dyn_cast<llvm::ExtractValueInst>(&instruction);
    auto whole =
        part ? dyn_cast<llvm::CallInst>(part->getAggregateOperand()) : nullptr;
    if (whole && whole->getParent() != part->getParent())
      part->moveAfter(whole);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kOptimization));
  passes.run(module, modules);
  for (llvm::Function &function : module)
    collectResults(function);
}

static std::unique_ptr<llvm::Module> translate(gpu::GPUModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule) {
    module.emitError("expected kernels in the LLVM and NVVM dialects");
    return nullptr;
  }
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  return llvmModule;
}

std::unique_ptr<llvm::Module>
sattn::translateToLLVMIR(gpu::GPUModuleOp module, llvm::LLVMContext &context,
                         const Chip &chip) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(module, chip);
  if (!machine)
    return nullptr;
  std::unique_ptr<llvm::Module> llvmModule =
      translate(module, context, *machine);
  if (llvmModule)
    optimize(*llvmModule, *machine);
  return llvmModule;
}

namespace {
/// A part of a module of kernels in a context of its own: LLVM can work on
/// several at once.
struct Job {
  std::unique_ptr<llvm::TargetMachine> machine;
  CodegenGate gate;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  SmallString<0> text;

  LogicalResult prepare(gpu::GPUModuleOp part, const Chip &chip) {
    machine = createTargetMachine(part, chip);
    context.setOptPassGate(gate);
    if (machine)
      module = translate(part, context, *machine);
    return success(module != nullptr);
  }

  LogicalResult run() {
    optimize(*module, *machine);
    llvm::raw_svector_ostream os(text);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr,
                                     llvm::CodeGenFileType::AssemblyFile))
      return failure();
    passes.run(*module);
    module.reset();
    return success();
  }
};
} // namespace

/// The globals that `op` refers to, and those that their initializers do.
static SetVector<LLVM::GlobalOp> findGlobals(Operation *op,
                                             SymbolTable &symbols) {
  SetVector<LLVM::GlobalOp> globals;
  auto addUses = [&](Operation *user) {
    if (auto uses = SymbolTable::getSymbolUses(user))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (auto global = symbols.lookup<LLVM::GlobalOp>(
                use.getSymbolRef().getRootReference()))
          globals.insert(global);
  };
  addUses(op);
  for (size_t i = 0; i < globals.size(); ++i)
    addUses(globals[i]);
  return globals;
}

static bool isDeclaration(LLVM::GlobalOp global) {
  return global.getLinkage() == LLVM::Linkage::External &&
         !global.getValueOrNull() && global.getInitializerRegion().empty();
}

/// Moves each kernel, with the globals it refers to, from the given module to a
/// module of its own. The given module stays the only part if it has other
/// functions, or if several kernels, or none, refer to a global that is
/// defined, since every part, or no part, would define it.
static SmallVector<OwningOpRef<gpu::GPUModuleOp>>
takeKernels(gpu::GPUModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<std::pair<LLVM::LLVMFuncOp, SetVector<LLVM::GlobalOp>>> kernels;
  llvm::DenseMap<Operation *, int64_t> users;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function &&
        function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName())) {
      kernels.emplace_back(function, findGlobals(function, symbols));
      for (LLVM::GlobalOp global : kernels.back().second)
        ++users[global];
    } else if (!isa<LLVM::GlobalOp>(op)) {
      return {};
    }
  }
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (!isDeclaration(global) && users.lookup(global) != 1)
      return {};
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  for (auto &[kernel, globals] : kernels) {
    auto part = cast<gpu::GPUModuleOp>(module->cloneWithoutRegions());
    Block &body = part.getBodyRegion().emplaceBlock();
    for (LLVM::GlobalOp global : globals)
      body.push_back(global->clone());
    kernel->moveBefore(&body, body.end());
    parts.emplace_back(part);
  }
  return parts;
}

/// One text of several: the head once, and what all kernels share once. Fails
/// where a text has no head.
static FailureOr<std::string> merge(ArrayRef<std::unique_ptr<Job>> jobs) {
  constexpr llvm::StringLiteral headEnd = ".address_size 64\n";
  std::string text = jobs.front()->text.str().str();
  llvm::StringSet<> shared;
  auto isShared = [](StringRef line) { return line.starts_with(".extern"); };
  for (StringRef line : llvm::split(jobs.front()->text.str(), '\n'))
    if (isShared(line))
      shared.insert(line);
  for (const std::unique_ptr<Job> &job : jobs.drop_front()) {
    auto [head, body] = job->text.str().split(headEnd);
    if (head.size() == job->text.size())
      return failure();
    for (StringRef line : llvm::split(body, '\n'))
      if (!isShared(line) || shared.insert(line).second)
        (text += line) += '\n';
  }
  return text;
}

FailureOr<std::string> sattn::translateToPTX(gpu::GPUModuleOp module,
                                             const Chip &chip) {
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts = takeKernels(module);
  SmallVector<gpu::GPUModuleOp> modules(
      llvm::map_range(parts, [](auto &part) { return *part; }));
  if (modules.empty())
    modules.push_back(module);

  SmallVector<std::unique_ptr<Job>> jobs;
  std::atomic<bool> done = true;
  // Declared last: its threads end before their data.
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(modules.size()));
  for (gpu::GPUModuleOp part : modules) {
    jobs.push_back(std::make_unique<Job>());
    Job *job = jobs.back().get();
    if (failed(job->prepare(part, chip)))
      return failure();
    pool.async([job, &done] {
      if (failed(job->run()))
        done = false;
    });
  }
  pool.wait();
  if (!done)
    return module.emitError("expected a target that writes assembly");
  FailureOr<std::string> text = merge(jobs);
  if (failed(text))
    return module.emitError("expected a head in the PTX of each kernel");
  return text;
}
