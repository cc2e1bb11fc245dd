//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "Session.h"

#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/StringExtras.h"

using namespace sattn;
using llvm::StringRef;

static StringRef orEmpty(const char *text) { return text ? text : ""; }

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
  auto *read = new sattn_tables{tuning::loadTables(orEmpty(path), problems)};
  give(messages, "warning", problems);
  return read;
}

void sattn_tables_free(sattn_tables *tables) { delete tables; }

std::string capi::checkSizes(llvm::ArrayRef<Size> sizes) {
  for (const Size &size : sizes)
    if (size.value < size.least)
      return ("expected " + size.name + " of at least " +
              llvm::Twine(size.least) + ", but got " + llvm::Twine(size.value))
          .str();
  return {};
}

int capi::chooseParameters(
    const sattn_tables *tables, const sattn_search *search,
    sattn_parameters *parameters, char **messages,
    llvm::function_ref<std::string()> check,
    llvm::function_ref<llvm::Expected<tuning::Choice>(
        llvm::ArrayRef<meta::Table>, const tuning::Search &)>
        choose) {
  auto refuse = [&](const std::string &reason) {
    give(messages, "error", reason);
    return 0;
  };
  if (!search || !parameters)
    return refuse(search ? "expected a place for parameters, but got null"
                         : "expected a search, but got null");
  if (std::string reason = check(); !reason.empty())
    return refuse(reason);
  std::optional<tuning::Target> target =
      tuning::findTarget(orEmpty(search->target));
  if (!target)
    return refuse("expected a target out of " +
                  llvm::join(tuning::targetNames(), ", ") + ", but got '" +
                  orEmpty(search->target).str() + "'");
  bool isCPU = orEmpty(search->target) == "cpu";
  if (std::string reason =
          checkSizes({{"shared_bytes", search->shared_bytes, isCPU ? INT64_MIN : 1}});
      !reason.empty())
    return refuse(reason);
  target->sharedBytes = search->shared_bytes;
  tuning::Search where{*target};
  where.device = orEmpty(search->device).str();
  llvm::SmallVector<StringRef> row;
  orEmpty(search->row).split(row, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  where.row.assign(row.begin(), row.end());
  llvm::ArrayRef<meta::Table> searched;
  if (tables)
    searched = tables->tables;
  llvm::Expected<tuning::Choice> choice = choose(searched, where);
  if (!choice)
    return refuse(llvm::toString(choice.takeError()));
  const tuning::Parameters &chosen = choice->parameters;
  *parameters = {chosen.rows,
                chosen.columns,
                chosen.depth,
                chosen.stages.value_or(0),
                chosen.warps.value_or(0),
                chosen.rasterGroup.value_or(0),
                chosen.splitK.value_or(0)};
  give(messages, "warning", choice->problems);
  return 1;
}
