//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

/// Sizes where no fact gives one: rows and columns of a matrix, heads and rows
/// of attention, and the part of blocks that is not stored, in hundredths.
static constexpr int64_t kSize = 4096, kHeads = 8, kRows = 4096;
static constexpr double kSparsity = 50;

namespace {
/// An op's operands as the argument list of a function, with a word for each.
class Arguments {
public:
  /// Adds an argument, and returns its type.
  std::string add(llvm::StringRef name, std::string type, std::string word) {
    text += (text.empty() ? "%" : ", %") + name.str() + ": " + type;
    words.push_back(std::move(word));
    return type;
  }
  /// A random array; its extents but the last `isStatic` are dynamic.
  std::string addArray(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                       llvm::StringRef element, size_t isStatic = 0) {
    return add(name, typeOf(shape, element, isStatic),
               formatv("random:{0}:shape={1}", words.size() + 1,
                       llvm::join(llvm::map_range(
                                      shape,
                                      [](int64_t extent) {
                                        return std::to_string(extent);
                                      }),
                                  "x")));
  }

  static std::string typeOf(llvm::ArrayRef<int64_t> shape,
                            llvm::StringRef element, size_t isStatic) {
    std::string type = "tensor<";
    for (auto [dim, extent] : llvm::enumerate(shape))
      type += (dim + isStatic < shape.size() ? "?" : std::to_string(extent)) +
              "x";
    return type + element.str() + ">";
  }

  std::string text;
  std::vector<std::string> words;
};

/// The stored blocks of a matrix, from facts.
struct Blocks {
  int64_t rows, columns, nnz;
  std::optional<int64_t> longest;

  std::string word(llvm::StringRef kind, int seed = 1) const {
    std::string text =
        formatv("{0}:{1}:grid={2}x{3}:nnz={4}", kind, seed, rows, columns, nnz);
    return longest ? text + ":longest=" + std::to_string(*longest) : text;
  }
};
} // namespace

static int64_t sizeOf(const Problem &problem, llvm::StringRef name,
                      int64_t otherwise) {
  return static_cast<int64_t>(problem.getNumber(name, otherwise));
}

/// The element type, or one of so many bytes.
static llvm::StringRef elementOf(const Problem &problem) {
  if (llvm::StringRef type = problem.getText("dtype"); !type.empty())
    return type;
  switch (sizeOf(problem, "element_bytes", 2)) {
  case 1:
    return "i8";
  case 4:
    return "f32";
  case 8:
    return "f64";
  default:
    return "bf16";
  }
}

static llvm::StringRef scalarOf(llvm::StringRef element) {
  return element == "f64" ? "f64" : "f32";
}

/// The part of blocks that is stored, where their number is not known.
static double densityOf(const Problem &problem) {
  return 1 - problem.getNumber("sparsity", kSparsity) / 100;
}

/// The pattern of a matrix of rows x columns elements.
static llvm::Expected<Blocks> blocksOf(const Problem &problem, int64_t rows,
                                       int64_t columns) {
  int64_t blockRows = sizeOf(problem, "block_rows", 0);
  int64_t blockColumns = sizeOf(problem, "block_columns", 0);
  if (blockRows < 1 || blockColumns < 1)
    return llvm::createStringError(
        "expected the facts 'block_rows' and 'block_columns'");
  Blocks blocks{llvm::divideCeilSigned(rows, blockRows),
                llvm::divideCeilSigned(columns, blockColumns), 0, std::nullopt};
  int64_t all = blocks.rows * blocks.columns;
  blocks.nnz =
      std::min(all, sizeOf(problem, "nnz",
                           std::max<int64_t>(1, all * densityOf(problem))));
  int64_t longest = sizeOf(problem, "longest_row", 0);
  if (longest && longest <= std::min(blocks.columns, blocks.nnz) &&
      blocks.nnz <= longest * blocks.rows)
    blocks.longest = longest;
  return blocks;
}

static SampleProgram makeFunction(const Arguments &arguments, const std::string &body,
                             const std::string &results) {
  // Results have the types of the arguments that they replace.
  return {formatv("func.func @sample({0}) -> {1} {{\n{2}}\n", arguments.text,
                  results, body),
          arguments.words};
}

static llvm::Expected<SampleProgram> makeBsrAddmm(const Problem &problem) {
  int64_t m = sizeOf(problem, "m", kSize), n = sizeOf(problem, "n", kSize),
          k = sizeOf(problem, "k", kSize),
          batches = sizeOf(problem, "batches", 1);
  llvm::Expected<Blocks> blocks = blocksOf(problem, m, k);
  if (!blocks)
    return blocks.takeError();
  int64_t blockRows = sizeOf(problem, "block_rows", 1),
          blockColumns = sizeOf(problem, "block_columns", 1);
  llvm::StringRef type = problem.getText("dtype");
  llvm::StringRef outType = problem.getText("out_dtype");
  if (type.empty())
    return llvm::createStringError("expected the fact 'dtype'");
  if (outType.empty())
    outType = type;
  bool alongK = problem.getNumber("along_k", 0) != 0;
  llvm::SmallVector<int64_t> batch;
  if (batches > 1)
    batch.push_back(batches);
  auto shape = [&](llvm::ArrayRef<int64_t> core) {
    llvm::SmallVector<int64_t> all(batch);
    llvm::append_range(all, core);
    return all;
  };
  std::string suffix =
      batches > 1 ? ":batch=" + std::to_string(batches) : std::string();
  std::string indices = batches > 1 ? "tensor<?x?xi32>" : "tensor<?xi32>";
  Arguments arguments;
  std::string crow =
      arguments.add("crow", indices, blocks->word("crow") + suffix);
  std::string col = arguments.add("col", indices, blocks->word("col") + suffix);
  std::string values = arguments.addArray(
      "values", shape({blocks->nnz, blockRows, blockColumns}), type, 2);
  std::string b = arguments.addArray(
      "b", alongK ? shape({n, k}) : shape({k, n}), type);
  std::string out = arguments.addArray("out", shape({m, n}), outType);
  std::string scalar = scalarOf(outType).str();
  std::string body = formatv(
      "  %alpha = arith.constant {0:e6} : {1}\n  %beta = arith.constant {2:e6} "
      ": {1}\n  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)\n"
      "      ins(%crow, %col, %values, %b : {3}, {4}, {5}, {6})\n"
      "      outs(%out : {7}) {8}-> {7}\n  return %0 : {7}\n",
      problem.getNumber("alpha", 1), scalar, problem.getNumber("beta", 0),
      crow, col, values, b, out, alongK ? "{transpose_b} " : "");
  return makeFunction(arguments, body, out);
}

static llvm::Expected<SampleProgram> makeSampledAddmm(const Problem &problem) {
  int64_t k = sizeOf(problem, "k", 512);
  llvm::Expected<Blocks> blocks = blocksOf(problem, kSize, kSize);
  if (!blocks)
    return blocks.takeError();
  int64_t blockRows = sizeOf(problem, "block_rows", 1),
          blockColumns = sizeOf(problem, "block_columns", 1);
  llvm::StringRef type = elementOf(problem);
  llvm::StringRef outType = type == "i8" ? "i32" : type;
  Arguments arguments;
  std::string crow =
      arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  std::string col = arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  std::string mat1 =
      arguments.addArray("mat1", {blocks->rows * blockRows, k}, type);
  std::string mat2 =
      arguments.addArray("mat2", {k, blocks->columns * blockColumns}, type);
  std::string out = arguments.addArray(
      "out", {blocks->nnz, blockRows, blockColumns}, outType, 2);
  std::string body =
      formatv("  %one = arith.constant 1.0 : {0}\n  %zero = arith.constant 0.0 "
              ": {0}\n  %0 = sattn.sampled_addmm alpha(%one) beta(%zero)\n"
              "      ins(%crow, %col, %mat1, %mat2 : {1}, {2}, {3}, {4})\n"
              "      outs(%out : {5}) -> {5}\n  return %0 : {5}\n",
              scalarOf(type), crow, col, mat1, mat2, out);
  return makeFunction(arguments, body, out);
}

/// A softmax of rows, or its gradient.
static llvm::Expected<SampleProgram> makeRows(const Problem &problem,
                                         llvm::ArrayRef<const char *> inputs) {
  llvm::Expected<Blocks> blocks = blocksOf(problem, kSize, kSize);
  if (!blocks)
    return blocks.takeError();
  llvm::SmallVector<int64_t> shape = {blocks->nnz,
                                      sizeOf(problem, "block_rows", 1),
                                      sizeOf(problem, "block_columns", 1)};
  Arguments arguments;
  std::string names = "%crow, %col", types;
  types = arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  types += ", " + arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  for (const char *input : inputs) {
    names += std::string(", %") + input;
    types += ", " + arguments.addArray(input, shape, elementOf(problem), 2);
  }
  std::string out = arguments.addArray("out", shape, elementOf(problem), 2);
  std::string body =
      formatv("  %0 = sattn.{0} ins({1} : {2})\n      outs(%out : {3}) -> "
              "{3}\n  return %0 : {3}\n",
              problem.op, names, types, out);
  return makeFunction(arguments, body, out);
}

static llvm::Expected<SampleProgram> makeBsrSoftmax(const Problem &problem) {
  return makeRows(problem, {"values"});
}

static llvm::Expected<SampleProgram> makeBsrSoftmaxBackward(const Problem &problem) {
  return makeRows(problem, {"output", "grad_out"});
}

static llvm::Expected<SampleProgram> makeBsrAttention(const Problem &problem) {
  int64_t rows = sizeOf(problem, "rows", kRows);
  llvm::Expected<Blocks> blocks = blocksOf(problem, rows, rows);
  if (!blocks)
    return blocks.takeError();
  int64_t heads = sizeOf(problem, "batches", kHeads);
  llvm::StringRef type = elementOf(problem);
  Arguments arguments;
  std::string crow =
      arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  std::string col = arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  std::string scalar = scalarOf(type).str();
  int64_t depth = sizeOf(problem, "head_dim", 64),
          width = sizeOf(problem, "value_dim", 64);
  std::string query =
      arguments.addArray("query", {heads, rows, depth}, type, 1);
  std::string key = arguments.addArray("key", {heads, rows, depth}, type, 1);
  std::string value =
      arguments.addArray("value", {heads, rows, width}, type, 1);
  std::string out = arguments.addArray("out", {heads, rows, width}, type, 1);
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0 = sattn.bsr_attention "
      "scale(%scale)\n      ins(%crow, %col, %query, %key, %value : {1}, {2}, "
      "{3}, {4}, {5})\n      outs(%out : {6}) {{block_size = array<i64: {7}, "
      "{8}>} -> {6}\n  return %0 : {6}\n",
      scalar, crow, col, query, key, value, out,
      sizeOf(problem, "block_rows", 1), sizeOf(problem, "block_columns", 1));
  return makeFunction(arguments, body, out);
}

/// What flex attention and its gradients have in common.
static llvm::Error requireNoLists(const Problem &problem) {
  for (llvm::StringRef fact : {"block_queries", "block_keys", "is_packed"})
    if (problem.getNumber(fact, 0) != 0)
      return llvm::createStringError("expected no fact '" + fact +
                                     "', of which no sample is made");
  return llvm::Error::success();
}

static std::string maskOf(const Problem &problem) {
  return problem.getNumber("is_causal", 0) != 0
             ? " {mask = #sattn.mask<right = 0>}"
             : "";
}

/// Adds query, key, value and, for gradients, what precedes them. Returns the
/// types of the inputs, with commas.
static std::string addHeads(const Problem &problem, Arguments &arguments,
                            bool isGradient) {
  int64_t rows = sizeOf(problem, "rows", kRows),
          depth = sizeOf(problem, "head_dim", 64),
          width = sizeOf(problem, "value_dim", depth);
  llvm::StringRef type = elementOf(problem);
  auto add = [&](const char *name, int64_t columns) {
    return arguments.addArray(name, {1, kHeads, rows, columns}, type, 1);
  };
  std::string types =
      add("q", depth) + ", " + add("k", depth) + ", " + add("v", width);
  if (!isGradient)
    return types;
  types += ", " + add("grad_out", width);
  for (const char *name : {"lse2", "delta"})
    types += ", " + arguments.addArray(name, {1, kHeads, rows}, scalarOf(type));
  return types;
}

static llvm::Expected<SampleProgram> makeFlexAttention(const Problem &problem) {
  if (llvm::Error error = requireNoLists(problem))
    return error;
  Arguments arguments;
  std::string types = addHeads(problem, arguments, /*isGradient=*/false);
  llvm::StringRef type = elementOf(problem);
  std::string out = arguments.addArray(
      "out",
      {1, kHeads, sizeOf(problem, "rows", kRows),
       sizeOf(problem, "value_dim", sizeOf(problem, "head_dim", 64))},
      type, 1);
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0 = sattn.flex_attention "
      "scale(%scale)\n      ins(%q, %k, %v : {1})\n      outs(%out : {2}) -> "
      "{2}{3}\n  return %0 : {2}\n",
      scalarOf(type), types, out, maskOf(problem));
  return makeFunction(arguments, body, out);
}

/// A gradient of flex attention; `gradients` are the columns of each.
static llvm::Expected<SampleProgram> makeGradient(const Problem &problem,
                                             llvm::ArrayRef<int64_t> gradients) {
  if (llvm::Error error = requireNoLists(problem))
    return error;
  Arguments arguments;
  std::string types = addHeads(problem, arguments, /*isGradient=*/true);
  std::string names, results;
  for (auto [index, columns] : llvm::enumerate(gradients)) {
    std::string name = "out" + std::to_string(index);
    names += (index ? ", %" : "%") + name;
    results += (index ? ", " : "") +
               arguments.addArray(
                   name, {1, kHeads, sizeOf(problem, "rows", kRows), columns},
                   elementOf(problem), 1);
  }
  bool isOne = gradients.size() == 1;
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0{1} = sattn.{2} "
      "scale(%scale)\n      ins(%q, %k, %v, %grad_out, %lse2, %delta : {3})\n"
      "      outs({4} : {5}) -> {5}{6}\n  return {7} : {5}\n",
      scalarOf(elementOf(problem)), isOne ? "" : ":2", problem.op, types, names,
      results, maskOf(problem), isOne ? "%0" : "%0#0, %0#1");
  return makeFunction(arguments, body, isOne ? results : "(" + results + ")");
}

static llvm::Expected<SampleProgram> makeFlexAttentionDq(const Problem &problem) {
  return makeGradient(problem, {sizeOf(problem, "head_dim", 64)});
}

static llvm::Expected<SampleProgram> makeFlexAttentionDkdv(const Problem &problem) {
  if (problem.getNumber("is_one_gradient", 0) != 0)
    return llvm::createStringError(
        "expected no fact 'is_one_gradient', of which no sample is made");
  int64_t depth = sizeOf(problem, "head_dim", 64);
  return makeGradient(problem, {depth, sizeOf(problem, "value_dim", depth)});
}

static llvm::Expected<SampleProgram> makeScatterMm(const Problem &problem) {
  int64_t blockRows = sizeOf(problem, "block_rows", 0),
          blockColumns = sizeOf(problem, "block_columns", 0),
          n = sizeOf(problem, "n", 256);
  if (blockRows < 1 || blockColumns < 1)
    return llvm::createStringError(
        "expected the facts 'block_rows' and 'block_columns'");
  // As of a square matrix of kSize, a list for each block row.
  Blocks lists{std::max<int64_t>(1, kSize / blockRows),
               std::max<int64_t>(1, kSize / blockColumns), 0, std::nullopt};
  lists.nnz = std::max<int64_t>(
      1, static_cast<int64_t>(
             densityOf(problem) *
             static_cast<double>(lists.rows * lists.columns)));
  llvm::StringRef type = elementOf(problem);
  Arguments arguments;
  std::string offsets =
      arguments.add("offsets", "tensor<?xi32>", lists.word("crow"));
  std::string p = arguments.add("p", "tensor<?xi32>", lists.word("col", 2));
  std::string q = arguments.add("q", "tensor<?xi32>", lists.word("col"));
  std::string blocks = arguments.addArray(
      "blocks", {lists.columns, blockRows, blockColumns}, type, 2);
  std::string others =
      arguments.addArray("others", {lists.columns, blockColumns, n}, type);
  std::string out = arguments.addArray("out", {lists.rows, blockRows, n}, type);
  std::string body =
      formatv("  %0 = sattn.scatter_mm ins(%offsets, %q, %blocks, %others : "
              "{0}, {1}, {2}, {3})\n      p(%p : {4}) outs(%out : {5}) -> {5}\n"
              "  return %0 : {5}\n",
              offsets, q, blocks, others, p, out);
  return makeFunction(arguments, body, out);
}

namespace {
struct SampledOp {
  llvm::StringLiteral name;
  llvm::Expected<SampleProgram> (*make)(const Problem &problem);
};
} // namespace

static constexpr SampledOp kOps[] = {
    {"bsr_addmm", makeBsrAddmm},
    {"bsr_attention", makeBsrAttention},
    {"bsr_softmax", makeBsrSoftmax},
    {"bsr_softmax_backward", makeBsrSoftmaxBackward},
    {"flex_attention", makeFlexAttention},
    {"flex_attention_dkdv", makeFlexAttentionDkdv},
    {"flex_attention_dq", makeFlexAttentionDq},
    {"sampled_addmm", makeSampledAddmm},
    {"scatter_mm", makeScatterMm},
};

std::vector<llvm::StringRef> sattn::tune::getSampledOps() {
  std::vector<llvm::StringRef> names;
  for (const SampledOp &op : kOps)
    names.push_back(op.name);
  return names;
}

llvm::Expected<SampleProgram>
sattn::tune::makeSampleProgram(const Problem &problem) {
  for (const SampledOp &op : kOps)
    if (op.name == problem.op)
      return op.make(problem);
  return llvm::createStringError("expected an op out of " +
                                 llvm::join(getSampledOps(), ", ") +
                                 ", but got '" + problem.op + "'");
}
