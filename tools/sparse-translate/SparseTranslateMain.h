//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETRANSLATE_SPARSETRANSLATEMAIN_H
#define SATTN_TOOLS_SPARSETRANSLATE_SPARSETRANSLATEMAIN_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace sattn {

/// The tool sparse-translate: compiles MLIR to PTX, a cubin, LLVM IR or a
/// manifest. Programs may have ops of the dialects that `extend`, where it is
/// given, adds to those of sattn. Returns the exit status.
int sparseTranslateMain(int argc, char **argv,
                        void (*extend)(mlir::DialectRegistry &) = nullptr);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSETRANSLATE_SPARSETRANSLATEMAIN_H
