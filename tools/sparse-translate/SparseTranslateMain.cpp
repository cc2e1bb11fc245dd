//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseTranslateMain.h"
#include "ToolOutput.h"

#include "sattn/InitAll.h"
#include "sattn/Pipelines/SAttnEntry.h"
#include "sattn/Pipelines/SAttnToCPU.h"
#include "sattn/Pipelines/SAttnToGPU.h"
#include "sattn/Remarks.h"
#include "sattn/Target/Chip.h"
#include "sattn/Target/Manifest.h"
#include "sattn/Target/NVPTX.h"
#include "sattn/Target/Passes.h"
#include "sattn/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace sattn;

namespace {
enum class Output { PTX, Cubin, LLVMIR, Manifest };

struct Options {
  llvm::cl::OptionCategory category{"sparse-translate options"};
  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("<input .mlir, - for stdin>"),
      llvm::cl::init("-"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::desc("Output file, - for stdout"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::opt<Output> to{
      "to", llvm::cl::desc("Output to write:"), llvm::cl::Required,
      llvm::cl::values(
          clEnumValN(Output::PTX, "ptx", "PTX of the kernels"),
          clEnumValN(Output::Cubin, "cubin", "cubin of the kernels, by ptxas"),
          clEnumValN(Output::LLVMIR, "llvmir",
                     "LLVM IR of the kernels, or of the CPU's functions"),
          clEnumValN(Output::Manifest, "manifest",
                     "JSON of the host function, for the runtime")),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> chip{
      "chip",
      llvm::cl::desc("Chip to compile for, or cpu (llvmir and manifest)"),
      llvm::cl::init("sm_90a"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> ptxas{
      "ptxas",
      llvm::cl::desc("Path of ptxas (default: $SATTN_PTXAS, then PATH)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> refuseSpills{
      "refuse-spills",
      llvm::cl::desc("Refuse a cubin whose registers spill, instead of a "
                     "warning"),
      llvm::cl::cat(category)};
  llvm::cl::opt<GPUSchedule> schedule{
      "schedule", llvm::cl::desc("Schedule of a CTA:"),
      llvm::cl::init(GPUSchedule::Specialized),
      llvm::cl::values(
          clEnumValN(GPUSchedule::Plain, "plain",
                     "all threads together, synchronous"),
          clEnumValN(GPUSchedule::Specialized, "specialized",
                     "producer and consumers around a ring of stages")),
      llvm::cl::cat(category)};
  llvm::cl::opt<KernelVersions> versions{
      "versions", llvm::cl::desc("Kernel specializations to compile:"),
      llvm::cl::init(KernelVersions::All), getKernelVersionsValues(),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> late{
      "late",
      llvm::cl::desc("Delay ops used only by the last MMAs until the next "
                     "block's first MMAs are issued, in kernels without "
                     "warpgroup ordering"),
      llvm::cl::init(true), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> maxPadding{
      "max-padding",
      llvm::cl::desc("Most bytes of a copy of an argument whose rows TMA "
                     "cannot take; 0: no argument is copied"),
      llvm::cl::value_desc("bytes"), llvm::cl::init(int64_t(1) << 30),
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> delays{
      "delays",
      llvm::cl::desc(
          "For tests: nanoseconds up to which kernels are delayed at "
          "random wherever they synchronize"),
      llvm::cl::value_desc("nanoseconds"), llvm::cl::init(0),
      llvm::cl::cat(category)};
  llvm::cl::opt<CPUThreads> threads{
      "cpu-threads",
      llvm::cl::desc("How output tiles are spread over the cores:"),
      llvm::cl::init(CPUThreads::Sequential),
      llvm::cl::values(
          clEnumValN(CPUThreads::Sequential, "sequential",
                     "one after the other; needs no run-time library"),
          clEnumValN(CPUThreads::OpenMP, "openmp",
                     "by LLVM's OpenMP runtime (libomp)")),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> vectorBits{
      "cpu-vector-bits",
      llvm::cl::desc("Width of the target's vector registers in bits"),
      llvm::cl::init(SAttnToCPUOptions().vectorBits), llvm::cl::cat(category)};
  llvm::cl::list<int64_t> registerTile{
      "cpu-register-tile",
      llvm::cl::desc("Rows and columns of the accumulator that is kept in "
                     "registers (default: from the width of vector registers)"),
      llvm::cl::value_desc("rows,columns"), llvm::cl::CommaSeparated,
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> device{
      "device",
      llvm::cl::desc("GPU whose tuned parameters are searched for, as its "
                     "driver names it (default: computed parameters)"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> metaTable{
      "meta-table",
      llvm::cl::desc("File of tuned parameters that is searched first"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::list<int64_t> sizes{
      "sizes",
      llvm::cl::desc("Sizes for the choice of parameters where types leave "
                     "them open; 0: not known"),
      llvm::cl::value_desc("M,N,K"), llvm::cl::CommaSeparated,
      llvm::cl::cat(category)};
  llvm::cl::opt<double> sparsity{
      "sparsity",
      llvm::cl::desc("Part of the blocks that is not stored, 0 to 1, for "
                     "the choice of parameters"),
      llvm::cl::init(-1.0), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> precision{
      "precision",
      llvm::cl::desc("Precision of f32 products of linalg ops: ieee (default), "
                     "which GPUs have no MMA for, or tf32"),
      llvm::cl::value_desc("name"), llvm::cl::init("ieee"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> verifyEach{
      "verify-each",
      llvm::cl::desc("Verify the IR after each pass (default: only the input)"),
      llvm::cl::init(false), llvm::cl::cat(category)};
  llvm::cl::opt<bool> remarks{
      "remarks",
      llvm::cl::desc("Print remarks of passes, such as the origin of tile "
                     "parameters"),
      llvm::cl::init(false), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> entry{
      "entry",
      llvm::cl::desc("Function whose manifest is written (default: the only "
                     "public one)"),
      llvm::cl::cat(category)};
};
} // namespace

/// The reason why options conflict, or nothing. An option without effect is
/// refused.
static std::string checkOptions(const Options &options) {
  auto isGiven = [](const llvm::cl::Option &option) {
    return option.getNumOccurrences() > 0;
  };
  using OptionList =
      std::initializer_list<std::reference_wrapper<const llvm::cl::Option>>;
  bool isCPU = options.chip == kCPUTarget;
  OptionList forGPU = {
      options.ptxas,      options.schedule,     options.versions,
      options.delays,     options.device,       options.metaTable,
      options.sizes,      options.sparsity,     options.precision,
      options.maxPadding, options.refuseSpills, options.late};
  OptionList forCPU = {options.threads, options.vectorBits,
                       options.registerTile};
  for (const llvm::cl::Option &option : isCPU ? forGPU : forCPU)
    if (isGiven(option))
      return ("option '--" + option.ArgStr + "' is " +
              (isCPU ? "not" : "only") + " for --chip=cpu")
          .str();
  if (isGiven(options.metaTable) && options.device.empty())
    return "option '--meta-table' needs a device: --device=NAME";
  if (isGiven(options.entry) && options.to != Output::Manifest)
    return "option '--entry' is only for --to=manifest";
  if (options.maxPadding < 0)
    return ("option '--max-padding': expected at least 0, but got " +
            llvm::Twine(options.maxPadding))
        .str();
  if (isGiven(options.sparsity) &&
      !(options.sparsity >= 0 && options.sparsity <= 1))
    return llvm::formatv("option '--sparsity': expected a part from 0 to 1, "
                         "but got {0}",
                         options.sparsity.getValue())
        .str();
  return {};
}

static LogicalResult run(ModuleOp module, const Options &options,
                         llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module->getContext());
  pm.enableVerifier(options.verifyEach);
  build(pm);
  return pm.run(module);
}

static FailureOr<std::string>
printModule(std::unique_ptr<llvm::Module> module) {
  if (!module)
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

/// The only kernel module of `parent`, a program without kernels being refused.
template <typename Op> static FailureOr<Op> findKernels(ModuleOp parent) {
  auto modules = parent.getOps<Op>();
  if (modules.empty())
    return parent.emitError("expected a program that launches kernels, but "
                            "there is nothing to compute");
  return *modules.begin();
}

static FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        (name.empty() || function.getName() == name))
      functions.push_back(function);
  if (functions.size() == 1)
    return functions.front();
  if (!name.empty())
    return module.emitError() << "expected a public function named '" << name
                              << "', but found none";
  return module.emitError() << "expected one public function, but found "
                            << functions.size() << "; choose with --entry";
}

static FailureOr<std::string> translateForCPU(ModuleOp module,
                                              const Options &options) {
  if (options.to == Output::Manifest) {
    if (failed(run(module, options,
                   [](OpPassManager &pm) { buildSAttnEntryPipeline(pm); })))
      return failure();
    FailureOr<func::FuncOp> entry = findEntry(module, options.entry);
    if (failed(entry))
      return failure();
    return emitManifest(*entry, kCPUTarget);
  }
  if (options.to != Output::LLVMIR)
    return module.emitError(
        "expected --to=llvmir or --to=manifest for the CPU");
  SAttnToCPUOptions pipeline;
  pipeline.threads = options.threads.getValue();
  pipeline.vectorBits = options.vectorBits.getValue();
  pipeline.registerTile = llvm::to_vector(options.registerTile);
  if (failed(run(module, options, [&](OpPassManager &pm) {
        buildSAttnToCPUPipeline(pm, pipeline);
      })))
    return failure();
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  module->getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  return printModule(translateModuleToLLVMIR(module, context));
}

static FailureOr<std::string> translateForGPU(ModuleOp module,
                                              const Options &options) {
  FailureOr<Chip> chip =
      lookupChip(options.chip, [&] { return module.emitError(); });
  if (failed(chip))
    return failure();
  SAttnToGPUOptions pipeline;
  pipeline.chip = options.chip.getValue();
  pipeline.ptxas = options.ptxas.getValue();
  pipeline.refuseSpills = options.refuseSpills.getValue();
  pipeline.schedule = options.schedule.getValue();
  pipeline.versions = options.versions.getValue();
  pipeline.late = options.late.getValue();
  pipeline.maxPadding = options.maxPadding.getValue();
  pipeline.delays = options.delays.getValue();
  pipeline.device = options.device.getValue();
  pipeline.metaTable = options.metaTable.getValue();
  pipeline.sizes = llvm::to_vector(options.sizes);
  pipeline.sparsity = options.sparsity.getValue();
  pipeline.precision = options.precision.getValue();
  if (failed(run(module, options, [&](OpPassManager &pm) {
        if (options.to == Output::LLVMIR)
          buildSAttnToNVVMPipeline(pm, pipeline);
        else if (options.to == Output::Cubin)
          buildSAttnToCubinPipeline(pm, pipeline);
        else
          buildSAttnToPTXPipeline(pm, pipeline);
      })))
    return failure();

  if (options.to == Output::LLVMIR) {
    auto kernels = findKernels<gpu::GPUModuleOp>(module);
    if (failed(kernels))
      return failure();
    llvm::LLVMContext context;
    return printModule(translateToLLVMIR(*kernels, context, *chip));
  }
  if (options.to == Output::Manifest) {
    FailureOr<func::FuncOp> entry = findEntry(module, options.entry);
    if (failed(entry))
      return failure();
    return (*entry)->getAttrOfType<StringAttr>(kManifestAttrName).str() + "\n";
  }
  auto binary = findKernels<gpu::BinaryOp>(module);
  if (failed(binary))
    return failure();
  auto object = cast<gpu::ObjectAttr>(*binary->getObjects().begin());
  return object.getObject().str();
}

int sattn::sparseTranslateMain(int argc, char **argv,
                               void (*extend)(DialectRegistry &)) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << versionText("sparse-translate"); });
  Options options;
  llvm::cl::HideUnrelatedOptions(options.category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Compiles MLIR with sattn ops for a GPU or the CPU\n");

  std::string error = checkOptions(options);
  if (!error.empty()) {
    llvm::errs() << "sparse-translate: " << error << "\n";
    return 1;
  }
  if (failed(checkOutput("sparse-translate", options.output, options.input)))
    return 1;
  auto input = openInputFile(options.input, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (failed(checkText(options.input, input->getBuffer())))
    return 1;
  DialectRegistry registry;
  registerAllDialects(registry);
  if (extend)
    extend(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Messages name the place in the source; the IR around it is for --debug.
  context.printOpOnDiagnostic(false);
  if (options.remarks)
    enableRemarks(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  FailureOr<std::string> text = options.chip == kCPUTarget
                                    ? translateForCPU(*module, options)
                                    : translateForGPU(*module, options);
  if (failed(text))
    return 1;

  auto output = openOutputFile(options.output, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return 1;
  }
  output->os() << *text;
  return failed(keepOutput("sparse-translate", *output));
}
