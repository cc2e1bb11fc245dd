//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bundle's tools: each is this program over libsattn.so, with its own name
// compiled in, so that a renamed or linked copy still works.
//
//===----------------------------------------------------------------------===//

int sattn_tool_main(const char *tool, int argc, char **argv);

int main(int argc, char **argv) {
  return sattn_tool_main(SATTN_TOOL, argc, argv);
}
