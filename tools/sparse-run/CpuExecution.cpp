//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuExecution.h"
#include "ThreadLimit.h"

#include "KeptCode.h"

#include "sattn/Pipelines/SAttnToCPU.h"
#include "sattn/Resources/HostCpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;

static constexpr const char *kOpenMPLibrary = "libomp.so.5";

ErrorOr<int64_t> sattn::run::startThreads(int64_t threads) {
  if (threads == 1)
    return threads;
  if (threads > kMaxThreads)
    return Error("expected at most " + std::to_string(kMaxThreads) +
                 " threads, but got " + std::to_string(threads));
  std::string message;
  if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(kOpenMPLibrary,
                                                        &message)) {
    if (threads == 0)
      return int64_t(1);
    return Error("option '--threads': expected LLVM's OpenMP runtime for more "
                 "than one thread, but got: " +
                 message);
  }
  auto find = [](const char *symbol) {
    return llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(symbol);
  };
  auto *setThreads =
      reinterpret_cast<void (*)(int)>(find("omp_set_num_threads"));
  auto *maxThreads = reinterpret_cast<int (*)()>(find("omp_get_max_threads"));
  auto *stackSize = reinterpret_cast<size_t (*)()>(find("kmp_get_stacksize_s"));
  if (!setThreads || !maxThreads || !stackSize)
    return Error(std::string(kOpenMPLibrary) + " is no OpenMP runtime of LLVM");
  // OpenMP ends the process where it gets none.
  int64_t wanted = threads ? threads : int64_t(maxThreads());
  int64_t given = tryThreads(wanted, stackSize());
  if (threads && given < threads)
    return Error("expected at most " + std::to_string(given) +
                 " threads, the system's limit, but got " +
                 std::to_string(threads));
  if (threads || given < wanted)
    setThreads(static_cast<int>(given));
  return given;
}

std::string sattn::run::describeHostCPU() {
  llvm::Expected<resources::HostCpu> cpu = resources::getHostCpu();
  if (!cpu)
    return llvm::toString(cpu.takeError());
  return cpu->name + " " + llvm::join(cpu->features, ",");
}

/// Gives the function a name that has no meaning to LLVM or to the linker, as
/// `malloc` or `llvm.sin` have.
static FailureOr<std::string> renameEntry(ModuleOp module, StringRef entry) {
  SymbolTable symbols(module);
  Operation *function = symbols.lookup(entry);
  unsigned counter = 0;
  SmallString<32> name = SymbolTable::generateSymbolName<32>(
      "sattn_entry", [&](StringRef taken) { return symbols.lookup(taken); },
      counter);
  if (!function || failed(symbols.rename(function, name)))
    return failure();
  return name.str().str();
}

static Error lower(ModuleOp module, const std::string &entry,
                   const runtime::Manifest &manifest, bool openMP) {
  SAttnToCPUOptions options;
  options.threads = openMP ? CPUThreads::OpenMP : CPUThreads::Sequential;
  llvm::Expected<resources::HostCpu> cpu = resources::getHostCpu();
  if (!cpu)
    return Error(llvm::toString(cpu.takeError()));
  options.vectorBits = cpu->vectorBits;
  PassManager pm(module.getContext());
  buildSAttnToCPUPipeline(pm, options);
  if (failed(pm.run(module)))
    return Error("the program could not be compiled for the CPU");
  auto function =
      module.lookupSymbol<LLVM::LLVMFuncOp>("_mlir_ciface_" + entry);
  if (!function || function.getNumArguments() != manifest.arguments.size() ||
      !isa<LLVM::LLVMVoidType>(function.getFunctionType().getReturnType()))
    return Error("function '" + manifest.name +
                 "': expected every result in place of an argument, but got a "
                 "result in memory of its own");
  return Error::success();
}

/// Gives the module a function `symbol` that calls `target` with the values
/// that an array of pointers points to.
static void addPackedEntry(llvm::Module &module, llvm::Function &target,
                           const std::string &symbol) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), builder.getPtrTy(),
                                       /*isVarArg=*/false);
  auto *entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                       symbol, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  SmallVector<llvm::Value *> values;
  for (llvm::Argument &argument : target.args()) {
    llvm::Value *place = builder.CreateConstGEP1_64(
        builder.getPtrTy(), entry->getArg(0), argument.getArgNo());
    values.push_back(builder.CreateLoad(
        argument.getType(), builder.CreateLoad(builder.getPtrTy(), place)));
  }
  builder.CreateCall(&target, values);
  builder.CreateRetVoid();
}

static Error describe(llvm::Error error) {
  return Error("no code for this CPU: " + llvm::toString(std::move(error)));
}

/// The object file of a module in the LLVM dialect.
static ErrorOr<std::string> emitObject(ModuleOp module,
                                       const std::string &target,
                                       const std::string &symbol) {
  DialectRegistry translations;
  registerBuiltinDialectTranslation(translations);
  registerLLVMDialectTranslation(translations);
  registerOpenMPDialectTranslation(translations);
  module->getContext()->appendDialectRegistry(translations);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return describe(builder.takeError());
  llvm::Expected<resources::HostCpu> cpu = resources::getHostCpu();
  if (!cpu)
    return describe(cpu.takeError());
  builder->setCPU(cpu->name);
  builder->getFeatures() = llvm::SubtargetFeatures();
  builder->addFeatures(cpu->features);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  // Code that JITLink can link anywhere in memory.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return describe(machine.takeError());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  llvm::Function *function =
      translated ? translated->getFunction(target) : nullptr;
  if (!function)
    return Error("the program could not be compiled for the CPU");
  ExecutionEngine::setupTargetTripleAndDataLayout(translated.get(),
                                                  machine->get());
  addPackedEntry(*translated, *function, symbol);
  auto optimize = makeOptimizingTransformer(/*optLevel=*/3, /*sizeLevel=*/0,
                                            machine->get());
  if (llvm::Error error = optimize(translated.get()))
    return describe(std::move(error));
  auto object = llvm::orc::SimpleCompiler(**machine)(*translated);
  if (!object)
    return describe(object.takeError());
  return (*object)->getBuffer().str();
}

ErrorOr<CpuCode> sattn::run::generateCpuCode(ModuleOp module,
                                             const runtime::Manifest &manifest,
                                             bool usesThreads) {
  FailureOr<std::string> entry = renameEntry(module, manifest.name);
  if (failed(entry))
    return Error("no function '" + manifest.name + "' in the program");
  if (Error error = lower(module, *entry, manifest, usesThreads))
    return error;
  CpuCode code;
  code.symbol = "_mlir__mlir_ciface_" + *entry;
  ErrorOr<std::string> object =
      emitObject(module, "_mlir_ciface_" + *entry, code.symbol);
  if (!object)
    return object.takeError();
  code.object = std::move(*object);
  return code;
}

CpuProgram::CpuProgram() = default;

CpuProgram::~CpuProgram() {
  if (session)
    llvm::consumeError(session->endSession());
}

ErrorOr<std::unique_ptr<CpuProgram>>
CpuProgram::compile(ModuleOp module, const runtime::Manifest &manifest,
                    int64_t threads, bool remarks) {
  ErrorOr<cache::Entry> code =
      getOrCompile(module,
                   hashModule(module, remarks)
                       .add(describeHostCPU())
                       .add(int64_t(threads > 1))
                       .finish(),
                   [&]() -> ErrorOr<cache::Entry> {
                     ErrorOr<CpuCode> code =
                         generateCpuCode(module, manifest, threads > 1);
                     if (!code)
                       return code.takeError();
                     return cache::Entry{code->object, code->symbol};
                   });
  if (!code)
    return code.takeError();
  return load({(*code)[0], (*code)[1]});
}

ErrorOr<std::unique_ptr<CpuProgram>> CpuProgram::load(const CpuCode &code) {
  using namespace llvm::orc;
  // On this thread: without a dispatcher there would be a pool of them.
  auto control = SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    return describe(control.takeError());
  std::unique_ptr<CpuProgram> program(new CpuProgram());
  program->session = std::make_unique<ExecutionSession>(std::move(*control));
  ExecutionSession &session = *program->session;
  program->linker = std::make_unique<ObjectLinkingLayer>(session);
  JITDylib &library = session.createBareJITDylib("program");
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
      /*GlobalPrefix=*/'\0');
  if (!process)
    return describe(process.takeError());
  library.addGenerator(std::move(*process));
  if (llvm::Error error = program->linker->add(
          library,
          llvm::MemoryBuffer::getMemBuffer(code.object, "program",
                                           /*RequiresNullTerminator=*/false)))
    return describe(std::move(error));
  auto address = session.lookup({&library}, session.intern(code.symbol));
  if (!address)
    return describe(address.takeError());
  program->function = address->getAddress().toPtr<runtime::HostEntry>();
  return program;
}
