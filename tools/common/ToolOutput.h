//===- ToolOutput.h - What the command line tools write ---------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_COMMON_TOOLOUTPUT_H
#define SATTN_TOOLS_COMMON_TOOLOUTPUT_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/ToolOutputFile.h"

namespace sattn {

/// Says why `output` cannot be written, before any work is done for it, and
/// returns failure; also where it is the file that is read.
mlir::LogicalResult checkOutput(llvm::StringRef tool, llvm::StringRef output,
                                llvm::StringRef input);

/// Flushes the stream. If that or an earlier write failed, as on a full disk or
/// a closed pipe, prints an error with the file's name and returns failure:
/// LLVM would end the process without a name.
mlir::LogicalResult flushOutput(llvm::StringRef tool, llvm::raw_fd_ostream &os,
                                llvm::StringRef file);

/// The same, after which the file is kept.
mlir::LogicalResult keepOutput(llvm::StringRef tool,
                               llvm::ToolOutputFile &output);

/// Says why a program's text cannot be taken, "FILE:3:8: error: ...", and
/// returns failure.
mlir::LogicalResult checkText(llvm::StringRef file, llvm::StringRef text);

/// `main` of a tool like mlir-opt whose output is checked.
int optMain(int argc, char **argv, llvm::StringRef tool,
            llvm::StringRef overview, mlir::DialectRegistry &registry);

} // namespace sattn

#endif // SATTN_TOOLS_COMMON_TOOLOUTPUT_H
