//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_KEPTCODE_H
#define SATTN_TOOLS_SPARSERUN_KEPTCODE_H

#include "sattn/DiskCache/DiskCache.h"
#include "sattn/Runtime/Error.h"

#include "mlir/IR/BuiltinOps.h"

namespace sattn::run {

/// A hash of the compiler's build, of the tables of tuned parameters (of which
/// `metaTable` may name one more), and of `what` is compiled.
cache::KeyHasher hashCompilation(llvm::StringRef what,
                                 llvm::StringRef metaTable = "");

/// A hash of a module as it is now; `remarks` says whether the context passes
/// remarks on.
cache::KeyHasher hashModule(mlir::ModuleOp module, bool remarks,
                            llvm::StringRef metaTable = "");

/// The disk cache's entry for the key, or the result of `compile`, which lowers
/// the module. A result is kept only if the compiler printed no diagnostic, so
/// that a later run prints the same ones.
runtime::ErrorOr<cache::Entry>
getOrCompile(mlir::ModuleOp module, const cache::Key &key,
             llvm::function_ref<runtime::ErrorOr<cache::Entry>()> compile);

/// The cubin that the disk cache has for PTX and a chip, or that ptxas makes,
/// which is kept. Empty where nothing is kept, where there is no ptxas on PATH
/// or in SATTN_PTXAS, and where it refuses the PTX.
std::string getOrAssemble(llvm::StringRef ptx, llvm::StringRef chip,
                          cache::RemarkFn remark);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_KEPTCODE_H
