//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "CommandLine.h"
#include "Pattern.h"

#include "sattn/Reference/ElementConversion.h"
#include "sattn/Reference/Op.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace sattn;
using namespace sattn::run;
using llvm::StringRef;
using runtime::DType;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Manifest;
using runtime::NpyArray;
using runtime::TensorView;
using Shape = std::vector<int64_t>;

namespace {
/// A word for a tensor: its source and the options after it.
struct TensorWord {
  enum Kind { File, Zeros, NaN, Random } kind = File;
  std::string path;
  uint64_t seed = 0;
  /// Elements from one row to the next, where given.
  std::optional<int64_t> rowStride;
  /// The array's shape, where given.
  std::optional<Shape> shape;
};
} // namespace

/// Extents such as `3x128x64`.
static std::optional<Shape> parseShape(StringRef text) {
  Shape shape;
  for (StringRef extent : llvm::split(text, 'x')) {
    int64_t value;
    if (extent.getAsInteger(10, value) || value < 0 || value > INT32_MAX)
      return std::nullopt;
    shape.push_back(value);
  }
  return shape;
}

static ErrorOr<TensorWord> parseTensorWord(StringRef word,
                                           const std::string &argument) {
  TensorWord result;
  // A path may have colons of its own.
  for (;;) {
    auto [rest, option] = word.rsplit(':');
    if ((option.starts_with("ld=") && result.rowStride) ||
        (option.starts_with("shape=") && result.shape))
      return Error(argument + ": expected ':" + option.split('=').first.str() +
                   "=' once, but got it twice");
    if (option.consume_front("ld=")) {
      int64_t stride;
      if (option.getAsInteger(10, stride) || stride < 1 || stride > INT32_MAX)
        return Error(argument +
                     ": expected a row stride from 1 to 2147483647 after "
                     "':ld=', but got '" +
                     option.str() + "'");
      result.rowStride = stride;
    } else if (option.consume_front("shape=")) {
      result.shape = parseShape(option);
      if (!result.shape)
        return Error(argument +
                     ": expected extents such as 3x128x64 after "
                     "':shape=', but got '" +
                     option.str() + "'");
    } else {
      break;
    }
    word = rest;
  }
  if (word == "zeros" || word == "nan") {
    result.kind = word == "zeros" ? TensorWord::Zeros : TensorWord::NaN;
  } else if (word.starts_with("random:")) {
    result.kind = TensorWord::Random;
    if (word.drop_front(7).getAsInteger(10, result.seed))
      return Error(argument + ": expected a seed after 'random:', but got '" +
                   word.drop_front(7).str() + "'");
  } else {
    result.path = word.str();
    if (result.shape)
      return Error(argument +
                   ": expected ':shape=' after zeros, nan or random:SEED, but "
                   "got it after '" +
                   result.path + "'");
  }
  return result;
}

static bool isInteger(DType type) {
  return type == DType::I8 || type == DType::I32 || type == DType::I64;
}

static std::string text(const Shape &shape) {
  return "[" +
         llvm::join(
             llvm::map_range(
                 shape, [](int64_t extent) { return std::to_string(extent); }),
             ", ") +
         "]";
}

/// A byte outside of elements; a NaN in all float types.
static constexpr unsigned char kGap = 0xFF;

/// Dense row-major memory, except that rows lie `rowStride` elements apart
/// where that is given. Every byte is kGap.
static ErrorOr<NpyArray> allocate(DType dtype, const Shape &shape,
                                  std::optional<int64_t> rowStride,
                                  const std::string &argument) {
  Shape padded = shape;
  if (rowStride) {
    if (shape.size() < 2)
      return Error(argument +
                   ": expected an array with rows before ':ld=', "
                   "but got one of rank " +
                   std::to_string(shape.size()));
    if (*rowStride < shape.back())
      return Error(argument + ": expected a row stride of at least " +
                   std::to_string(shape.back()) + ", but got " +
                   std::to_string(*rowStride));
    padded.back() = *rowStride;
  }
  std::optional<int64_t> bytes = runtime::byteSize(dtype, padded);
  if (!bytes)
    return Error(argument +
                 ": expected an array of less than 2^63 bytes, but " +
                 "got shape " + text(padded));
  ErrorOr<NpyArray> array = NpyArray::allocate(
      dtype, shape, runtime::rowMajorStrides(padded), *bytes);
  if (!array)
    return Error(argument + ": " + array.error().message());
  if (*bytes)
    std::memset(array->view().data, kGap, *bytes);
  return array;
}

/// Calls visit(offset) for every element, in row-major order.
template <typename Visitor>
static void forEachElement(const TensorView &view, Visitor visit) {
  Shape index(view.shape.size());
  for (int64_t left = view.numElements(); left > 0; --left) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += index[dim] * view.strides[dim];
    visit(offset);
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < view.shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

static ErrorOr<NpyArray> loadFile(const TensorWord &word,
                                  const std::string &argument) {
  ErrorOr<NpyArray> file = runtime::readNpy(word.path);
  if (!file)
    return Error(argument + ": " + file.error().message());
  if (!word.rowStride)
    return file;
  ErrorOr<NpyArray> array =
      allocate(file->dtype(), file->shape(), word.rowStride, argument);
  if (!array)
    return array;
  int64_t width = runtime::byteWidth(file->dtype());
  const TensorView &from = file->view(), &to = array->view();
  std::vector<int64_t> offsets;
  offsets.reserve(from.numElements());
  forEachElement(from, [&](int64_t offset) { offsets.push_back(offset); });
  auto next = offsets.begin();
  forEachElement(to, [&](int64_t offset) {
    std::memcpy(static_cast<char *>(to.data) + offset * width,
                static_cast<const char *>(from.data) + *next++ * width, width);
  });
  return array;
}

/// The batch dimensions that the operands of a contract, except for the result,
/// broadcast to, aligned at the last, `rank` of them. If they do not fit, the
/// largest is taken; the contract's check reports the error.
static Shape broadcastBatch(const runtime::Contract &contract, size_t result,
                            const std::vector<runtime::Argument> &values,
                            size_t rank) {
  Shape batch(rank, 1);
  auto merge = [&](size_t argument, size_t trailing) {
    const auto *view = std::get_if<TensorView>(&values[argument]);
    if (!view || view->shape.size() < trailing)
      return;
    size_t leading = view->shape.size() - trailing;
    for (size_t i = 0; i < std::min(leading, rank); ++i) {
      int64_t extent = view->shape[leading - 1 - i];
      int64_t &merged = batch[rank - 1 - i];
      merged = merged == 1   ? extent
               : extent == 1 ? merged
                             : std::max(merged, extent);
    }
  };
  for (const runtime::ContractOperand &operand : contract.operands)
    if (operand.coreRank && *operand.argument != result)
      merge(*operand.argument, *operand.coreRank);
  return batch;
}

/// The shape that the other operands imply for an operand that is written, and
/// the program itself where it declares an extent.
static ErrorOr<Shape> inferShape(const Manifest &manifest, size_t argument,
                                 const Shape &declared,
                                 const std::vector<runtime::Argument> &values,
                                 const std::vector<std::string> &attributes,
                                 const std::string &word) {
  for (const runtime::Contract &contract : manifest.contracts) {
    const reference::Op *op = reference::findOp(contract.op);
    const runtime::ContractOperand *result =
        op ? contract.find(op->result) : nullptr;
    if (!result || result->argument != argument)
      continue;
    reference::NamedOperands operands;
    for (const runtime::ContractOperand &operand : contract.operands)
      if (!operand.argument)
        operands.push_back({operand.name, operand.name, operand.constant});
      else if (operand.coreRank && *operand.argument != argument)
        operands.push_back({operand.name,
                            manifest.describeArgument(*operand.argument),
                            values[*operand.argument]});
    operands.addAttributes(attributes);
    ErrorOr<Shape> core = op->inferShape(operands);
    size_t rank = manifest.arguments[argument].rank;
    if (!core && !core.error().message().empty())
      return core.takeError();
    if (!core || rank < *result->coreRank)
      return Error(manifest.describeArgument(argument) +
                   ": no shape follows from the other arguments for '" + word +
                   "'");
    Shape shape =
        broadcastBatch(contract, argument, values, rank - *result->coreRank);
    shape.insert(shape.end(), core->begin(), core->end());
    for (size_t dim = 0; dim < declared.size(); ++dim)
      if (declared[dim] >= 0)
        shape[dim] = declared[dim];
    return shape;
  }
  return Error(manifest.describeArgument(argument) +
               ": expected a .npy file, or a shape, as in '" + word +
               ":shape=4x64', since none follows from the other arguments");
}

static ErrorOr<NpyArray>
makeArray(const Manifest &manifest, size_t argument, const Shape &declared,
          const TensorWord &word, const std::string &text,
          const std::vector<std::string> &attributes,
          const std::vector<runtime::Argument> &values) {
  const runtime::ArgumentSpec &spec = manifest.arguments[argument];
  ErrorOr<Shape> shape = word.shape ? ErrorOr<Shape>(*word.shape)
                                    : inferShape(manifest, argument, declared,
                                                 values, attributes, text);
  if (!shape)
    return shape.takeError();
  if (static_cast<int64_t>(shape->size()) != spec.rank)
    return Error(manifest.describeArgument(argument) +
                 ": expected a shape of rank " + std::to_string(spec.rank) +
                 ", but got " + ::text(*shape));
  ErrorOr<NpyArray> array =
      allocate(manifest.arguments[argument].type, *shape, word.rowStride,
               manifest.describeArgument(argument));
  if (!array)
    return array;
  bool isByte = spec.type == DType::I8;
  if (word.kind != TensorWord::Zeros && isInteger(spec.type) &&
      !(isByte && word.kind == TensorWord::Random))
    return Error(manifest.describeArgument(argument) +
                 ": expected zeros or a .npy file for integers, but got '" +
                 text + "'");
  // A linear congruential generator (Knuth, MMIX); its high bits are used.
  uint64_t state = word.seed;
  forEachElement(array->view(), [&](int64_t offset) {
    double value = 0;
    if (word.kind == TensorWord::NaN)
      value = std::numeric_limits<double>::quiet_NaN();
    if (word.kind == TensorWord::Random) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<double>(state >> 40) / (1 << 23) - 1;
      if (spec.type == DType::F64) // Bits that an f32 has not.
        value = std::ldexp(static_cast<double>(state >> 11), -52) - 1;
      if (isByte) // All of its numbers.
        value = std::floor(128 * value);
    }
    reference::storeElement(array->view(), offset, value);
  });
  return array;
}

/// Numbers of a random pattern, which each batch has.
static ErrorOr<NpyArray> makeIndices(StringRef word,
                                     const std::string &argument,
                                     const runtime::ArgumentSpec &spec) {
  ErrorOr<Pattern> pattern = Pattern::parse(word, argument);
  if (!pattern)
    return pattern.takeError();
  if (spec.type != DType::I32 && spec.type != DType::I64)
    return Error(argument +
                 ": expected an array for elements that are no "
                 "indices, but got '" +
                 word.str() + "'");
  auto [numbers, shape] = pattern->getIndices();
  shape.insert(shape.begin(), pattern->batches.begin(), pattern->batches.end());
  ErrorOr<NpyArray> array = allocate(spec.type, shape, std::nullopt, argument);
  if (!array)
    return array;
  size_t next = 0;
  forEachElement(array->view(), [&, &numbers = numbers](int64_t offset) {
    reference::storeElement(array->view(), offset,
                            static_cast<double>(numbers[next]));
    next = (next + 1) % numbers.size();
  });
  return array;
}

const runtime::Contract *sattn::run::findContract(const Manifest &manifest) {
  const runtime::Contract *found = nullptr;
  for (const runtime::Contract &contract : manifest.contracts) {
    if (!reference::findOp(contract.op))
      continue;
    if (found)
      return nullptr;
    found = &contract;
  }
  return found;
}

ErrorOr<Arguments>
sattn::run::loadArguments(const Manifest &manifest,
                          const std::vector<Shape> &declared,
                          const std::vector<std::string> &words,
                          const std::vector<std::string> &attributes) {
  size_t count = manifest.arguments.size();
  if (words.size() != count)
    return Error("function '" + manifest.name + "': expected " +
                 std::to_string(count) + " arguments, but got " +
                 std::to_string(words.size()));
  Arguments result;
  result.values.resize(count);
  result.arrays.resize(count);
  // Arrays whose shape follows from others come last.
  std::vector<std::pair<size_t, TensorWord>> made;
  for (size_t i = 0; i < count; ++i) {
    std::string argument = manifest.describeArgument(i);
    if (!manifest.arguments[i].isTensor) {
      std::optional<double> number = parseNumber(words[i]);
      if (!number)
        return Error(argument + ": expected a number, but got '" + words[i] +
                     "'");
      if (manifest.arguments[i].type == DType::F32 && std::isfinite(*number) &&
          !std::isfinite(static_cast<float>(*number)))
        return Error(argument + ": expected a number of f32, but got '" +
                     words[i] + "'");
      result.values[i] = *number;
      continue;
    }
    if (Pattern::isWord(words[i])) {
      ErrorOr<NpyArray> array =
          makeIndices(words[i], argument, manifest.arguments[i]);
      if (!array)
        return array.takeError();
      result.values[i] = array->view();
      result.arrays[i] = std::move(*array);
      continue;
    }
    ErrorOr<TensorWord> word = parseTensorWord(words[i], argument);
    if (!word)
      return word.takeError();
    if (word->kind != TensorWord::File) {
      made.emplace_back(i, *word);
      continue;
    }
    ErrorOr<NpyArray> array = loadFile(*word, argument);
    if (!array)
      return array.takeError();
    result.values[i] = array->view();
    result.arrays[i] = std::move(*array);
  }
  for (auto &[i, word] : made) {
    ErrorOr<NpyArray> array = makeArray(manifest, i, declared[i], word,
                                        words[i], attributes, result.values);
    if (!array)
      return array.takeError();
    result.values[i] = array->view();
    result.arrays[i] = std::move(*array);
  }
  return result;
}

Error sattn::run::checkDeclaredShapes(const Manifest &manifest,
                                      const std::vector<Shape> &declared,
                                      const Arguments &arguments) {
  for (size_t i = 0; i < declared.size(); ++i) {
    const auto *view = std::get_if<TensorView>(&arguments.values[i]);
    // The contract's check reports an array of another rank.
    if (!view || view->shape.size() != declared[i].size())
      continue;
    for (size_t dim = 0; dim < declared[i].size(); ++dim)
      if (declared[i][dim] >= 0 && declared[i][dim] != view->shape[dim])
        return Error(manifest.describeArgument(i) + ": expected " +
                     std::to_string(declared[i][dim]) + " in dimension " +
                     std::to_string(dim) +
                     ", which the program declares, but "
                     "got " +
                     std::to_string(view->shape[dim]));
  }
  return Error::success();
}

Error sattn::run::checkGaps(const NpyArray &array) {
  int64_t width = runtime::byteWidth(array.dtype());
  if (array.view().numElements() * width == array.byteSize())
    return Error::success();
  ErrorOr<NpyArray> copy = copyArray(array);
  if (!copy)
    return copy.takeError();
  auto *bytes = static_cast<unsigned char *>(copy->view().data);
  forEachElement(copy->view(), [&](int64_t offset) {
    std::memset(bytes + offset * width, kGap, width);
  });
  for (int64_t i = 0; i < copy->byteSize(); ++i)
    if (bytes[i] != kGap)
      return Error("expected the memory between rows as it was, but byte " +
                   std::to_string(i) + " has changed");
  return Error::success();
}

ErrorOr<NpyArray> sattn::run::copyArray(const NpyArray &array) {
  const TensorView &view = array.view();
  ErrorOr<NpyArray> copy = NpyArray::allocate(view.dtype, view.shape,
                                              view.strides, array.byteSize());
  if (copy && array.byteSize())
    std::memcpy(copy->view().data, view.data, array.byteSize());
  return copy;
}
