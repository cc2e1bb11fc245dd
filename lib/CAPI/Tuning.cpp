//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Tuning.h"

#include "Session.h"

#include "sattn/MetaTable/BsrAddmmTuning.h"

#include "llvm/ADT/StringExtras.h"

using namespace sattn;
using llvm::StringRef;

struct sattn_tables {
  std::vector<meta::Table> tables;
};

static StringRef orEmpty(const char *text) { return text ? text : ""; }

static std::optional<int64_t> known(int64_t size) {
  return size < 0 ? std::nullopt : std::optional(size);
}

/// A line for each text; null where there is none, or nobody asks.
static void give(char **messages, StringRef severity,
                 llvm::ArrayRef<std::string> texts) {
  if (!messages)
    return;
  std::string lines;
  for (const std::string &text : texts)
    lines += (severity + ": " + text + "\n").str();
  *messages = lines.empty() ? nullptr : capi::copyText(lines);
}

sattn_tables *sattn_tables_read(const char *path, char **messages) {
  std::vector<std::string> problems;
  auto *read = new sattn_tables{meta::loadTables(orEmpty(path), problems)};
  give(messages, "warning", problems);
  return read;
}

void sattn_tables_free(sattn_tables *tables) { delete tables; }

static meta::BsrAddmmFacts factsOf(const sattn_bsr_addmm &product) {
  meta::BsrAddmmFacts facts;
  facts.m = known(product.m);
  facts.n = known(product.n);
  facts.k = known(product.k);
  facts.blockRows = product.block_rows;
  facts.blockColumns = product.block_columns;
  facts.batches = product.batches;
  facts.dtype = product.dtype;
  facts.outDtype = product.out_dtype;
  facts.nnz = known(product.nnz);
  facts.alpha = product.alpha;
  facts.beta = product.beta;
  facts.sharesColumns = product.shares_columns != 0;
  return facts;
}

int sattn_choose_bsr_addmm(const sattn_tables *tables,
                           const sattn_bsr_addmm *product,
                           const sattn_search *search,
                           sattn_parameters *parameters, char **messages) {
  auto refuse = [&](const std::string &reason) {
    give(messages, "error", reason);
    return 0;
  };
  std::optional<meta::Target> target =
      meta::findTarget(orEmpty(search->target));
  if (!target)
    return refuse("expected a target out of " +
                  llvm::join(meta::targetNames(), ", ") + ", but got '" +
                  orEmpty(search->target).str() + "'");
  target->sharedBytes = search->shared_bytes;
  meta::Search where = {*target, orEmpty(search->device).str()};
  llvm::SmallVector<StringRef> row;
  orEmpty(search->row).split(row, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  where.row.assign(row.begin(), row.end());
  llvm::ArrayRef<meta::Table> searched;
  if (tables)
    searched = tables->tables;
  llvm::Expected<meta::Choice> choice =
      meta::chooseBsrAddmm(searched, factsOf(*product), where);
  if (!choice)
    return refuse(llvm::toString(choice.takeError()));
  const meta::Parameters &chosen = choice->parameters;
  *parameters = {chosen.rows,
                 chosen.columns,
                 chosen.depth,
                 chosen.stages.value_or(0),
                 chosen.warps.value_or(0),
                 chosen.group.value_or(0)};
  give(messages, "warning", choice->problems);
  return 1;
}
