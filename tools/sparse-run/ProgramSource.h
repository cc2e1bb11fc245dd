//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_PROGRAMSOURCE_H
#define SATTN_TOOLS_SPARSERUN_PROGRAMSOURCE_H

#include "sattn/Runtime/Manifest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace sattn::run {

/// Prints MLIR's errors and warnings, with the line of the source, while it
/// lives; remarks are left out.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(std::shared_ptr<llvm::SourceMgr> sources,
                    mlir::MLIRContext *context, bool remarks);
  ~DiagnosticPrinter();

private:
  struct Handler;
  std::unique_ptr<Handler> handler;
};

/// An MLIR file with the function that is run.
struct ProgramSource {
  std::shared_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<DiagnosticPrinter> printer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
};

/// Reads and verifies the file (`-`: standard input) and finds the function:
/// the one called `entry`, or the only public one where that is empty. MLIR's
/// diagnostics are printed when they come. Products of f32 that linalg ops say
/// have the precision: "ieee" or "tf32".
runtime::ErrorOr<ProgramSource> loadProgram(mlir::MLIRContext *context,
                                            const std::string &path,
                                            const std::string &entry,
                                            bool remarks,
                                            const std::string &precision);

/// The requirements on the entry's arguments, on any target. An error if the
/// function takes anything but arrays and numbers.
runtime::ErrorOr<runtime::Manifest> describeProgram(ProgramSource &program);

/// The attributes without a value of the first op of this name in the entry,
/// whatever its dialect.
std::vector<std::string> getUnitAttributes(ProgramSource &program,
                                           const std::string &op);

/// The shapes of the entry's arguments as its type has them: -1 for an extent
/// that may be any, empty for a scalar.
std::vector<std::vector<int64_t>> getDeclaredShapes(ProgramSource &program);

/// The argument that the entry's last result is computed in, or nothing: what
/// the result's tensor is, through destinations, views and loops.
std::optional<size_t> findResultArgument(ProgramSource &program);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_PROGRAMSOURCE_H
