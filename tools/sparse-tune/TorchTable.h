//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_TORCHTABLE_H
#define SATTN_TOOLS_SPARSETUNE_TORCHTABLE_H

#include "sattn/MetaTable/MetaTable.h"

namespace sattn::tune {

/// The rows of bsr_dense_addmm and scatter_mm in the text of PyTorch's
/// torch/sparse/_triton_ops_meta.py, whole or in part. A row that the text
/// breaks off, and a section whose heading is missing, are left out; nothing is
/// executed.
std::vector<meta::Section> readTorchTable(llvm::StringRef text,
                                          meta::OpSchemas schemas);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_TORCHTABLE_H
