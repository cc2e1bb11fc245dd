//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace sattn;
using llvm::StringRef;

/// The forms of rows that PyTorch's file has.
namespace {
struct Form {
  StringRef torchOp, op;
  /// Numbers of a key, and flags after them.
  size_t numbers, flags;
  std::vector<std::string> parameters;
};
} // namespace

static const Form kForms[] = {
    {"bsr_dense_addmm",
     "bsr_addmm",
     5,
     3,
     {"GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps"}},
    {"scatter_mm",
     "scatter_mm",
     5,
     0,
     {"GROUP_SIZE", "SPLIT_N", "TILE_M", "TILE_N", "num_stages", "num_warps"}},
};

/// Strings without their quotes, numbers, names, and other characters, each
/// alone. Comments are left out.
static std::vector<StringRef> tokenize(StringRef text) {
  std::vector<StringRef> tokens;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  while (true) {
    text = text.ltrim();
    if (text.empty())
      return tokens;
    if (text.front() == '#') {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.front() == '"') {
      size_t end = text.find_first_of("\"\n", 1);
      tokens.push_back(text.slice(1, end));
      text = text.drop_front(std::min(end, text.size() - 1) + 1);
    } else {
      StringRef word = text.take_while(isPart);
      if (word.empty())
        word = text.take_front(1);
      tokens.push_back(word);
      text = text.drop_front(word.size());
    }
  }
}

namespace {
/// Reads tokens, as long as they are what is expected.
class Reader {
public:
  explicit Reader(llvm::ArrayRef<StringRef> tokens) : tokens(tokens) {}

  bool skip(StringRef token) {
    if (tokens.empty() || tokens.front() != token)
      return false;
    tokens = tokens.drop_front();
    return true;
  }
  std::optional<StringRef> next() {
    if (tokens.empty())
      return std::nullopt;
    StringRef token = tokens.front();
    tokens = tokens.drop_front();
    return token;
  }
  /// "(1, 2, True)" of so many entries; a comma may follow the last one.
  std::optional<llvm::SmallVector<int64_t>> readTuple(size_t count,
                                                      size_t flags);

  llvm::ArrayRef<StringRef> tokens;
};
} // namespace

std::optional<llvm::SmallVector<int64_t>> Reader::readTuple(size_t count,
                                                            size_t flags) {
  llvm::SmallVector<int64_t> numbers;
  if (!skip("("))
    return std::nullopt;
  for (size_t i = 0; i < count + flags; ++i) {
    if (i && !skip(","))
      return std::nullopt;
    std::optional<StringRef> token = next();
    int64_t number = 0;
    if (!token)
      return std::nullopt;
    if (i >= count && (*token == "True" || *token == "False"))
      number = *token == "True";
    else if (i >= count || token->getAsInteger(10, number))
      return std::nullopt;
    numbers.push_back(number);
  }
  skip(",");
  if (!skip(")"))
    return std::nullopt;
  return numbers;
}

/// Reads '("bsr_dense_addmm", "NVIDIA A100", (0, torch.bfloat16, 0.56)): {'.
static std::optional<std::pair<const Form *, meta::Section>>
readHeading(Reader &reader) {
  if (!reader.skip("("))
    return std::nullopt;
  std::optional<StringRef> op = reader.next();
  const Form *form = llvm::find_if(
      kForms, [&](const Form &one) { return op && one.torchOp == *op; });
  if (form == std::end(kForms) || !reader.skip(","))
    return std::nullopt;
  std::optional<StringRef> device = reader.next();
  if (!device || !reader.skip(",") || !reader.skip("("))
    return std::nullopt;
  meta::Section section;
  section.device = device->str();
  std::optional<StringRef> version = reader.next();
  if (!version || version->getAsInteger(10, section.version) ||
      !reader.skip(","))
    return std::nullopt;
  StringRef type = reader.next().value_or("");
  section.dtype = llvm::StringSwitch<const char *>(type)
                      .Case("torch.float16", "f16")
                      .Case("torch.bfloat16", "bf16")
                      .Case("torch.float32", "f32")
                      .Default("");
  double sparsity = 0.5;
  if (section.dtype.empty() || section.device.empty() ||
      !llvm::json::isUTF8(section.device) || !reader.skip(",") ||
      reader.next().value_or("").getAsDouble(sparsity) ||
      !(sparsity >= 0 && sparsity <= 1) || !reader.skip(")") ||
      !reader.skip(")") || !reader.skip(":") || !reader.skip("{"))
    return std::nullopt;
  section.sparsity = std::lround(100 * sparsity);
  llvm::append_range(section.parameters, form->parameters);
  return std::pair(form, std::move(section));
}

std::vector<meta::Section>
sattn::tune::readTorchTable(StringRef text, meta::OpSchemas schemas) {
  std::vector<StringRef> tokens = tokenize(text);
  std::vector<meta::Section> sections;
  llvm::ArrayRef<StringRef> rest = tokens;
  while (!rest.empty()) {
    Reader reader(rest);
    auto heading = readHeading(reader);
    if (!heading) {
      rest = rest.drop_front();
      continue;
    }
    auto &[form, section] = *heading;
    const auto *schema =
        llvm::find_if(schemas, [&, form = form](const meta::OpSchema *one) {
          return one->op == form->op;
        });
    while (true) {
      auto key = reader.readTuple(form->numbers, form->flags);
      auto values = key && reader.skip(":")
                        ? reader.readTuple(form->parameters.size(), 0)
                        : std::nullopt;
      if (!values)
        break;
      meta::Row row;
      row.key.assign(key->begin(), key->end());
      row.values.assign(values->begin(), values->end());
      section.rows.push_back(std::move(row));
      if (!reader.skip(","))
        break;
    }
    llvm::stable_sort(section.rows, [](const meta::Row &a, const meta::Row &b) {
      return a.key < b.key;
    });
    if (schema != schemas.end()) {
      section.schema = *schema;
      sections.push_back(std::move(section));
    }
    rest = reader.tokens.empty() ? reader.tokens : rest.drop_front();
  }
  return sections;
}
