//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Any text as a meta table: a table, problems of single rows, or an error, and
// what is chosen from a table is a tile that the target can take.

#include "sattn/Tuning/BsrAddmm.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace sattn::meta;
using namespace sattn::tuning;

static void require(bool holds, const char *what, const Choice &choice) {
  if (holds)
    return;
  llvm::errs() << "expected " << what << ", but got " << choice.parameters.rows
               << " x " << choice.parameters.columns << " x "
               << choice.parameters.depth << " from " << choice.origin << "\n";
  abort();
}

/// Asks for what a row is of, and for a multiple of its N.
static void useRow(const Table &table, const Section &section, const Row &row) {
  int64_t blockRows = row.key[3], blockColumns = row.key[4];
  // Blocks that the op can have.
  if (section.schema != &bsr_addmm::kSchema || blockRows % 8 ||
      blockColumns % 8 || blockRows > 128 || blockColumns > 128)
    return;
  Query query{section.schema,
              section.device,
              section.version,
              section.dtype,
              section.outDtype,
              section.sparsity,
              {row.key.begin(), row.key.end()},
              /*exact=*/false,
              takesRowsOf};
  unsigned n = *section.schema->nearSize;
  for (int64_t factor : {1, 2}) {
    query.key[n] = row.key[n] * factor;
    bsr_addmm::Problem problem;
    problem.m = query.key[0];
    problem.k = query.key[1];
    problem.n = query.key[n];
    problem.blockRows = blockRows;
    problem.blockColumns = blockColumns;
    problem.sparsity = query.sparsity;
    for (llvm::StringRef name : targetNames()) {
      Target target = *findTarget(name);
      target.sharedBytes = name == "cpu" ? 0 : 99 * 1024;
      Choice choice = sattn::tuning::choose(
          table, query,
          [&](const Section &section, const Row &row) {
            return bsr_addmm::fitRow(section, row, problem, target);
          },
          [&] { return bsr_addmm::defaultParameters(problem, target); },
          [&](const Parameters &parameters) {
            return bsr_addmm::estimateCycles(problem, parameters, target);
          });
      const Parameters &chosen = choice.parameters;
      require(chosen.rows > 0 && (chosen.rows % blockRows == 0 ||
                                  blockRows % chosen.rows == 0),
              "a multiple of the block's rows, or a divisor", choice);
      // Tiles of few columns are as narrow as an MMA.
      int64_t multiple = std::min<int64_t>(target.columnMultiple, 8);
      require(chosen.columns > 0 && chosen.columns % multiple == 0 &&
                  (name == "cpu" || chosen.columns <= target.maxColumns),
              "columns that the target takes", choice);
      require(chosen.depth > 0 && blockColumns % chosen.depth == 0,
              "a divisor of the block's columns", choice);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(text, "fuzz", allSchemas(), problems);
  if (!table) {
    std::string message = llvm::toString(table.takeError());
    // Where it is, if it is not the whole table: what was expected.
    llvm::StringRef rest = message;
    if (!rest.consume_front("meta table 'fuzz': ") ||
        !rest.contains("expected ")) {
      llvm::errs() << "expected a message of the table, but got: " << message
                   << "\n";
      abort();
    }
    return 0;
  }
  for (const Section &section : table->sections)
    for (const Row &row : section.rows)
      useRow(*table, section, row);
  return 0;
}
