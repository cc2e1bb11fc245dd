//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Compiler.h"

#include "CpuExecution.h"
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
/// What a program for a GPU was compiled from.
struct GPUSource {
  std::string text, entry, target, pipeline;
};
} // namespace

struct sattn_program {
  std::string manifest, image;
  /// If it lacks versions of kernels.
  std::optional<GPUSource> source;
  /// The number of launches that it lacks the kernel of.
  int64_t missing = 0;
  std::unique_ptr<run::CpuProgram> cpu;
  /// Of a program for the CPU.
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
    session.say(name.empty() ? "expected one public function with a body, but "
                               "found " +
                                   llvm::Twine(candidates.size())
                             : "expected a public function '" + name +
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

static bool compileForCPU(Session &session, StringRef name, int64_t threads,
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
    session.say(parsed.error().message());
    return false;
  }
  auto compiled = run::CpuProgram::compile(session.module(), *parsed, threads);
  if (!compiled) {
    session.say(compiled.error().message());
    return false;
  }
  program.manifest = std::move(*manifest);
  program.cpu = std::move(*compiled);
  program.parsed = std::move(*parsed);
  return true;
}

/// `versions`, if given, replaces that of the pipeline's options.
static bool compileForGPU(Session &session, StringRef name, StringRef target,
                          StringRef pipeline, sattn_program &program,
                          std::optional<KernelVersions> versions = {}) {
  SAttnToGPUOptions options;
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(options.parseFromString(pipeline, os))) {
    session.say("options of the pipeline: " + StringRef(message).trim());
    return false;
  }
  options.chip = target.str();
  if (versions)
    options.versions = *versions;
  if (failed(lookupChip(target, [&] {
        return emitError(UnknownLoc::get(&session.context()));
      })))
    return false;
  PassManager pm(&session.context());
  // What is read was verified, and tests verify what each pass leaves.
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
    session.say("expected a manifest and at most one image of function '" +
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

sattn_program *sattn_compile(const char *source, size_t size,
                             const sattn_options *options, char **messages) {
  if (!source || !options || options->threads < 0) {
    capi::giveError(messages, !source    ? "expected a source, but got null"
                              : !options ? "expected options, but got null"
                                         : "expected at least 0 threads, but "
                                           "got " +
                                               llvm::Twine(options->threads));
    return nullptr;
  }
  Session session;
  auto program = std::make_unique<sattn_program>();
  bool done = [&] {
    if (!session.parse({source, size}))
      return false;
    func::FuncOp entry = chooseEntry(session, orEmpty(options->entry));
    if (!entry)
      return false;
    std::string name = entry.getName().str();
    StringRef target = orEmpty(options->target);
    if (target == kCPUTarget)
      return compileForCPU(session, name, options->threads, *program);
    StringRef pipeline = orEmpty(options->pipeline);
    if (!compileForGPU(session, name, target, pipeline, *program))
      return false;
    if (program->missing > 0)
      program->source =
          GPUSource{{source, size}, name, target.str(), pipeline.str()};
    return true;
  }();
  session.giveMessages(messages);
  return done ? program.release() : nullptr;
}

int sattn_program_lacks_versions(const sattn_program *program) {
  return program && program->source.has_value();
}

sattn_program *sattn_program_complete(const sattn_program *program,
                                      char **messages) {
  Session session;
  auto complete = std::make_unique<sattn_program>();
  bool done = [&] {
    if (!program || !program->source) {
      session.say("expected a program that lacks versions of its kernels");
      return false;
    }
    const GPUSource &source = *program->source;
    // The one kernel's other version does for every call that needs it. Of
    // several kernels some may have arguments that TMA takes, and copies are
    // made for the versions for TMA.
    auto versions =
        program->missing == 1 ? KernelVersions::Generic : KernelVersions::All;
    return session.parse(source.text) && chooseEntry(session, source.entry) &&
           compileForGPU(session, source.entry, source.target, source.pipeline,
                         *complete, versions);
  }();
  session.giveMessages(messages);
  return done ? complete.release() : nullptr;
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
      session.say("passes: " + StringRef(message).trim());
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
