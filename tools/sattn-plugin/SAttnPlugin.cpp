//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/InitAll.h"
#include "sattn/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

/// The entry point for mlir-opt's --load-dialect-plugin.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "sattn", sattn::version(),
          [](mlir::DialectRegistry *registry) {
            sattn::registerAllDialects(*registry);
          }};
}

/// The entry point for mlir-opt's --load-pass-plugin. Registering upstream's
/// passes again does no harm.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "sattn", sattn::version(),
          sattn::registerAllPasses};
}
