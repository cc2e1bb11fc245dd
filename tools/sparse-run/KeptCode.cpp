//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptCode.h"

#include "sattn/MetaTable/Tables.h"
#include "sattn/Target/NVPTX.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;

cache::KeyHasher sattn::run::hashCompilation(StringRef what,
                                             StringRef metaTable) {
  cache::KeyHasher key;
  // MLIR may be another library than LLVM.
  key.addBuildOf(reinterpret_cast<const void *>(&translateModuleToLLVMIR));
  const char *named = std::getenv("SATTN_META_TABLE");
  key.addFile(metaTable);
  key.addFile(named ? named : "");
  key.addFile(meta::userTablePath());
  key.add(what);
  return key;
}

cache::KeyHasher sattn::run::hashModule(ModuleOp module, bool remarks,
                                        StringRef metaTable) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().printGenericOpForm());
  return hashCompilation(text, metaTable).add(int64_t(remarks));
}

ErrorOr<cache::Entry>
sattn::run::getOrCompile(ModuleOp module, const cache::Key &key,
                         llvm::function_ref<ErrorOr<cache::Entry>()> compile) {
  Error failure = Error::success();
  cache::Entry unkept;
  auto compileQuietly = [&]() -> std::optional<cache::Entry> {
    bool isQuiet = true;
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &) {
      isQuiet = false;
      return mlir::failure();
    });
    ErrorOr<cache::Entry> entry = compile();
    if (!entry) {
      failure = entry.takeError();
      return std::nullopt;
    }
    if (isQuiet)
      return std::move(*entry);
    unkept = std::move(*entry);
    return std::nullopt;
  };
  Location location = module.getLoc();
  std::optional<cache::Entry> entry =
      cache::getOrCompile(key, compileQuietly, [&](const llvm::Twine &message) {
        mlir::emitRemark(location, message);
      });
  if (failure)
    return failure;
  return entry ? std::move(*entry) : std::move(unkept);
}

/// Adds the assembler that is used now, without reading it whole.
static void addAssembler(cache::KeyHasher &key, const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    status = {};
  key.add(path)
      .add(static_cast<int64_t>(status.getSize()))
      .add(status.getLastModificationTime().time_since_epoch().count());
}

std::string sattn::run::getOrAssemble(StringRef ptx, StringRef chip,
                                      cache::RemarkFn remark) {
  std::string assembler = findAssembler();
  // A program without kernels has no PTX.
  if (assembler.empty() || ptx.empty())
    return "";
  cache::KeyHasher key;
  key.add("cubin").add(ptx).add(chip);
  addAssembler(key, assembler);
  auto assembleQuietly = [&]() -> std::optional<std::string> {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    Location location = UnknownLoc::get(&context);
    FailureOr<Chip> known =
        lookupChip(chip, [&] { return mlir::emitError(location); });
    if (failed(known))
      return std::nullopt;
    FailureOr<std::string> cubin =
        assemble(ptx, *known, assembler, /*refusesSpills=*/false,
                 [&](StringRef, bool isWarning) {
                   return isWarning ? mlir::emitWarning(location)
                                    : mlir::emitError(location);
                 });
    if (failed(cubin))
      return std::nullopt;
    return std::move(*cubin);
  };
  return cache::getOrMake(key.finish(), assembleQuietly, remark).value_or("");
}
