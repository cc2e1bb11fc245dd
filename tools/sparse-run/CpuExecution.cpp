//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuExecution.h"

#include "sattn/Pipelines/SAttnToCPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
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

/// Makes libomp's symbols visible to compiled code and sets the number of
/// threads; 0 asks for its own choice. Returns the number.
static ErrorOr<int64_t> startOpenMP(int64_t threads) {
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
  if (!setThreads || !maxThreads)
    return Error(std::string(kOpenMPLibrary) + " is no OpenMP runtime");
  if (threads)
    setThreads(static_cast<int>(threads));
  return int64_t(maxThreads());
}

/// Width of the host's vector registers in bits, as the pipeline counts it.
static int64_t hostVectorBits() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return 512;
  return features.lookup("avx") ? 256 : 128;
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
  options.vectorBits = hostVectorBits();
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

CpuProgram::CpuProgram() = default;
CpuProgram::~CpuProgram() = default;

ErrorOr<std::unique_ptr<CpuProgram>>
CpuProgram::compile(ModuleOp module, const runtime::Manifest &manifest,
                    int64_t threads) {
  std::unique_ptr<CpuProgram> program(new CpuProgram());
  if (threads != 1) {
    ErrorOr<int64_t> started = startOpenMP(threads);
    if (!started)
      return started.takeError();
    program->numThreads = *started;
  }
  FailureOr<std::string> entry = renameEntry(module, manifest.name);
  if (failed(entry))
    return Error("no function '" + manifest.name + "' in the program");
  if (Error error = lower(module, *entry, manifest, program->numThreads > 1))
    return error;

  DialectRegistry translations;
  registerBuiltinDialectTranslation(translations);
  registerLLVMDialectTranslation(translations);
  registerOpenMPDialectTranslation(translations);
  module->getContext()->appendDialectRegistry(translations);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto describe = [](llvm::Error error) {
    return Error("no code for this CPU: " + llvm::toString(std::move(error)));
  };
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return describe(builder.takeError());
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return describe(machine.takeError());
  auto optimize = makeOptimizingTransformer(/*optLevel=*/3, /*sizeLevel=*/0,
                                            machine->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  options.enableObjectDump = false;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return describe(engine.takeError());
  auto address = (*engine)->lookupPacked("_mlir_ciface_" + *entry);
  if (!address)
    return describe(address.takeError());
  program->engine = std::move(*engine);
  program->function = *address;
  return program;
}
