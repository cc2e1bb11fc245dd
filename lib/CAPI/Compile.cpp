//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Compiler.h"

#include "CpuExecution.h"
#include "KeptCode.h"
#include "Session.h"

#include "sattn/InitAll.h"
#include "sattn/Pipelines/SAttnEntry.h"
#include "sattn/Pipelines/SAttnToGPU.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Target/Chip.h"
#include "sattn/Target/Manifest.h"
#include "sattn/Target/NVPTX.h"
#include "sattn/Version.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace sattn;
using capi::Session;

namespace {
/// The source and options of a program for a GPU.
struct GPUSource {
  std::string text, entry, target, pipeline;
};
} // namespace

struct sattn_program {
  std::string manifest, image;
  /// The function's name.
  std::string entry;
  /// The source, if the program lacks specializations of kernels.
  std::optional<GPUSource> source;
  /// The number of launches that it lacks the kernel of.
  int64_t missing = 0;
  run::CpuCode code;
  std::unique_ptr<run::CpuProgram> cpu;
  /// The parsed manifest of a program for the CPU.
  runtime::Manifest parsed;
};

/// The function to compile. Others that it does not use are erased.
static func::FuncOp chooseEntry(Session &session, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : session.module().getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        (name.empty() || function.getName() == name))
      candidates.push_back(function);
  if (candidates.size() != 1) {
    if (name.empty())
      session.fail("expected one public function with a body, but found " +
                   llvm::Twine(candidates.size()));
    else
      session.fail("expected a public function '" + name +
                   "' with a body, but found none");
    return {};
  }
  for (auto function :
       llvm::make_early_inc_range(session.module().getOps<func::FuncOp>()))
    if (function != candidates.front() &&
        SymbolTable::symbolKnownUseEmpty(function, session.module()))
      function.erase();
  return candidates.front();
}

static bool compileForCPU(Session &session, StringRef name, bool usesThreads,
                          sattn_program &program) {
  OwningOpRef<ModuleOp> copy = session.module().clone();
  PassManager pm(&session.context());
  buildSAttnEntryPipeline(pm);
  if (failed(pm.run(*copy)))
    return false;
  FailureOr<std::string> manifest =
      emitManifest(copy->lookupSymbol<func::FuncOp>(name), kCPUTarget);
  if (failed(manifest))
    return false;
  runtime::ErrorOr<runtime::Manifest> parsed =
      runtime::parseManifest(*manifest);
  if (!parsed) {
    session.fail(parsed.error().message());
    return false;
  }
  auto code = run::generateCpuCode(session.module(), *parsed, usesThreads);
  if (!code) {
    session.fail(code.error().message());
    return false;
  }
  program.manifest = std::move(*manifest);
  program.code = std::move(*code);
  return true;
}

/// Links the code of a program for the CPU; the message of a failure.
static std::string loadForCPU(sattn_program &program) {
  runtime::ErrorOr<runtime::Manifest> parsed =
      runtime::parseManifest(program.manifest);
  if (!parsed)
    return parsed.error().message();
  auto loaded = run::CpuProgram::load(program.code);
  if (!loaded)
    return loaded.error().message();
  program.code = {};
  program.cpu = std::move(*loaded);
  program.parsed = std::move(*parsed);
  return "";
}

static bool compileForGPU(Session &session, StringRef name,
                          const SAttnToGPUOptions &options,
                          sattn_program &program) {
  if (failed(lookupChip(options.chip, [&] {
        return emitError(UnknownLoc::get(&session.context()));
      })))
    return false;
  PassManager pm(&session.context());
  // The input was verified when it was read, and tests verify the output of
  // each pass.
  pm.enableVerifier(false);
  buildSAttnToPTXPipeline(pm, options);
  if (failed(pm.run(session.module())))
    return false;
  auto function = session.module().lookupSymbol<func::FuncOp>(name);
  auto manifest = function
                      ? function->getAttrOfType<StringAttr>(kManifestAttrName)
                      : StringAttr();
  SmallVector<gpu::BinaryOp> binaries(session.module().getOps<gpu::BinaryOp>());
  if (!manifest || binaries.size() > 1) {
    session.fail("expected a manifest and at most one image of function '" +
                 name + "'");
    return false;
  }
  function.walk([&](cf::AssertOp) { ++program.missing; });
  program.manifest = manifest.str();
  // A program whose result is what it was given has no kernels.
  if (!binaries.empty())
    program.image = cast<gpu::ObjectAttr>(binaries.front().getObjects()[0])
                        .getObject()
                        .str();
  return true;
}

static StringRef orEmpty(const char *text) { return text ? text : ""; }

const char *sattn_version(void) { return sattn::version(); }

namespace {
/// Source, target and options of one compilation.
struct Request {
  StringRef text, entry, target, pipeline;
  int64_t threads = 0;
  /// Replaces that of the pipeline's options.
  std::optional<KernelVersions> versions = {};
};
} // namespace

/// The texts that the disk cache keeps of a program, and of what the compiler
/// said of it.
static cache::Entry writeEntry(const sattn_program &program,
                               StringRef messages) {
  return {messages.str(),
          program.manifest,
          program.image,
          program.entry,
          program.code.object,
          program.code.symbol,
          std::to_string(program.missing)};
}

/// The program of an entry, whose messages are returned.
static std::string readEntry(cache::Entry &&entry, sattn_program &program) {
  program.manifest = std::move(entry[1]);
  program.image = std::move(entry[2]);
  program.entry = std::move(entry[3]);
  program.code = {std::move(entry[4]), std::move(entry[5])};
  program.missing = std::stoll(entry[6]);
  return std::move(entry[0]);
}

/// Compiles a function, or takes it from the disk cache. Null, with messages,
/// where it is refused.
static std::unique_ptr<sattn_program> compile(const Request &request,
                                              std::string &messages) {
  auto fail = [&](const llvm::Twine &message) {
    messages += ("error: " + message + "\n").str();
    return nullptr;
  };
  bool isForCPU = request.target == kCPUTarget;
  SAttnToGPUOptions options;
  cache::KeyHasher key;
  bool usesThreads = false;
  if (isForCPU) {
    runtime::ErrorOr<int64_t> threads = run::startThreads(request.threads);
    if (!threads)
      return fail(threads.error().message());
    usesThreads = *threads > 1;
    key = run::hashCompilation(request.text);
    key.add(run::describeHostCPU()).add(int64_t(usesThreads));
  } else {
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(options.parseFromString(request.pipeline, os)))
      return fail("options of the pipeline: " + StringRef(message).trim());
    options.chip = request.target.str();
    if (request.versions)
      options.versions = *request.versions;
    key = run::hashCompilation(request.text, options.metaTable);
    key.add(request.pipeline)
        .add(static_cast<int64_t>(options.versions.getValue()));
  }
  key.add(request.target).add(request.entry);

  auto program = std::make_unique<sattn_program>();
  auto compileAnew = [&]() -> std::optional<cache::Entry> {
    Session session;
    sattn_program compiled;
    bool done = [&] {
      if (!session.parse(request.text))
        return false;
      func::FuncOp entry = chooseEntry(session, request.entry);
      if (!entry)
        return false;
      compiled.entry = entry.getName().str();
      return isForCPU
                 ? compileForCPU(session, compiled.entry, usesThreads, compiled)
                 : compileForGPU(session, compiled.entry, options, compiled);
    }();
    if (done)
      return writeEntry(compiled, session.messages());
    messages += session.messages();
    return std::nullopt;
  };
  std::optional<cache::Entry> entry = cache::getOrCompile(
      key.finish(), compileAnew, [&](const llvm::Twine &message) {
        messages += ("remark: " + message + "\n").str();
      });
  if (!entry)
    return nullptr;
  messages += readEntry(std::move(*entry), *program);
  if (!isForCPU)
    return program;
  if (std::string reason = loadForCPU(*program); !reason.empty())
    return fail(reason);
  return program;
}

sattn_program *sattn_compile(const char *source, size_t size,
                             const sattn_options *options, char **messages) {
  auto fail = [&](const llvm::Twine &message) {
    capi::giveError(messages, message);
    return nullptr;
  };
  if (!source)
    return fail("expected a source, but got null");
  if (!options)
    return fail("expected options, but got null");
  if (options->threads < 0)
    return fail("expected at least 0 threads, but got " +
                llvm::Twine(options->threads));
  Request request{{source, size},
                  orEmpty(options->entry),
                  orEmpty(options->target),
                  orEmpty(options->pipeline),
                  options->threads};
  std::string said;
  std::unique_ptr<sattn_program> program = compile(request, said);
  if (program && program->missing > 0)
    program->source = GPUSource{request.text.str(), program->entry,
                                request.target.str(), request.pipeline.str()};
  capi::giveText(messages, said);
  return program.release();
}

int sattn_program_lacks_versions(const sattn_program *program) {
  return program && program->source.has_value();
}

sattn_program *sattn_program_complete(const sattn_program *program,
                                      char **messages) {
  if (!program || !program->source) {
    capi::giveError(
        messages,
        "expected a program that lacks specializations of its kernels");
    return nullptr;
  }
  const GPUSource &source = *program->source;
  Request request{source.text, source.entry, source.target, source.pipeline};
  // The one kernel's other specialization does for every call that needs it. Of
  // several kernels some may have arguments that TMA takes, and copies are made
  // for the specializations for TMA.
  request.versions =
      program->missing == 1 ? KernelVersions::Generic : KernelVersions::All;
  std::string said;
  std::unique_ptr<sattn_program> complete = compile(request, said);
  capi::giveText(messages, said);
  return complete.release();
}

void sattn_program_free(sattn_program *program) { delete program; }

const char *sattn_program_manifest(const sattn_program *program) {
  return program ? program->manifest.c_str() : nullptr;
}

const char *sattn_program_image(const sattn_program *program, size_t *size) {
  if (size)
    *size = program ? program->image.size() : 0;
  return program ? program->image.c_str() : nullptr;
}

sattn_entry sattn_program_entry(const sattn_program *program) {
  return program && program->cpu ? program->cpu->entryPoint() : nullptr;
}

/// The fields of a memref descriptor of this rank.
static runtime::TensorView readDescriptor(const void *descriptor,
                                          const runtime::ArgumentSpec &spec) {
  auto *words = static_cast<const int64_t *>(descriptor);
  runtime::TensorView view;
  view.dtype = spec.type;
  view.shape.assign(words + 3, words + 3 + spec.rank);
  view.strides.assign(words + 3 + spec.rank, words + 3 + 2 * spec.rank);
  view.data = reinterpret_cast<char *>(words[1]) +
              words[2] * int64_t(runtime::byteWidth(spec.type));
  return view;
}

char *sattn_program_run(const sattn_program *program, void **arguments) {
  if (!program || !program->cpu)
    return capi::copyText("expected a program for the CPU");
  for (auto [index, spec] : llvm::enumerate(program->parsed.arguments))
    if (!arguments || !arguments[index] ||
        (spec.isTensor && !*static_cast<void **>(arguments[index])))
      return capi::copyText("argument '" + spec.name +
                            "': expected a pointer, but got null");
  std::vector<runtime::Argument> values;
  for (auto [index, spec] : llvm::enumerate(program->parsed.arguments)) {
    if (spec.isTensor)
      values.emplace_back(
          readDescriptor(*static_cast<void **>(arguments[index]), spec));
    else if (spec.type == runtime::DType::F64)
      values.emplace_back(*static_cast<double *>(arguments[index]));
    else
      values.emplace_back(double(*static_cast<float *>(arguments[index])));
  }
  if (runtime::Error error = runtime::checkCall(program->parsed, values,
                                                runtime::ContentCheck::On))
    return capi::copyText(error.message());
  program->cpu->entryPoint()(arguments);
  return nullptr;
}

char *sattn_assemble(const char *ptx, size_t size, const char *chip,
                     size_t *cubin_size, char **messages) {
  if (!ptx || !cubin_size) {
    capi::giveError(messages,
                    ptx ? "expected a place for the cubin's size, but "
                          "got null"
                        : "expected PTX, but got null");
    return nullptr;
  }
  Session session;
  auto loc = UnknownLoc::get(&session.context());
  FailureOr<Chip> known =
      lookupChip(orEmpty(chip), [&] { return mlir::emitError(loc); });
  FailureOr<std::string> cubin = failure();
  if (succeeded(known))
    cubin = assemble({ptx, size}, *known, /*ptxas=*/"", /*refusesSpills=*/false,
                     [&](StringRef, bool isWarning) {
                       return isWarning ? mlir::emitWarning(loc)
                                        : mlir::emitError(loc);
                     });
  session.giveMessages(messages);
  if (failed(cubin))
    return nullptr;
  *cubin_size = cubin->size();
  return capi::copyText(*cubin);
}

char *sattn_run_passes(const char *source, size_t size, const char *passes,
                       char **messages) {
  if (!source || !passes) {
    capi::giveError(messages, source ? "expected passes, but got null"
                                     : "expected a source, but got null");
    return nullptr;
  }
  static std::once_flag registered;
  std::call_once(registered, registerAllPasses);
  Session session;
  char *result = [&]() -> char * {
    if (!session.parse({source, size}))
      return nullptr;
    PassManager pm(&session.context());
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(parsePassPipeline(passes, pm, os))) {
      session.fail("passes: " + StringRef(message).trim());
      return nullptr;
    }
    if (failed(pm.run(session.module())))
      return nullptr;
    std::string text;
    llvm::raw_string_ostream printed(text);
    session.module().print(printed);
    return capi::copyText(text);
  }();
  session.giveMessages(messages);
  return result;
}

void sattn_text_free(char *text) { std::free(text); }
