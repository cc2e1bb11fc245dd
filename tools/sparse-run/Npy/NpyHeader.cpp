//===- NpyHeader.cpp - The header of a .npy file --------------------------===//
//
// The header is a Python dictionary with the keys 'descr', 'fortran_order' and
// 'shape'. NumPy writes them in that order, but any is valid, and so are any
// spaces, either kind of quotes, and a comma after the last item.
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"
#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

namespace {

struct TypeName {
  const char *descr;
  DType dtype;
};

// The first name of each type is the one written.
constexpr TypeName typeNames[] = {
    {"|i1", DType::I8},
    {"<i1", DType::I8},
    {"<i4", DType::I32},
    {"<i8", DType::I64},
    {"<f2", DType::F16},
    {"|V2", DType::BF16},
    {"<V2", DType::BF16},
    {"<f4", DType::F32},
    {"<f8", DType::F64},
    // As ml_dtypes has them.
    {"<V1", DType::F8E4M3FN},
    {"|V1", DType::F8E4M3FN},
    {"<f1", DType::F8E5M2},
};

/// A cursor over the dictionary's text. Every `take` skips spaces first and
/// moves on only where it finds what it wants.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  bool take(char wanted) {
    if (peek() != wanted)
      return false;
    ++position;
    return true;
  }

  bool takeWord(std::string_view wanted) {
    peek();
    if (text.substr(position, wanted.size()) != wanted)
      return false;
    position += wanted.size();
    return true;
  }

  std::optional<std::string> takeString() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string value(text.substr(position + 1, end - position - 1));
    position = end + 1;
    return value;
  }

  /// The digits of a non-negative integer as Python writes it, without zeros
  /// before others, perhaps with Python 2's L.
  std::optional<std::string> takeDigits() {
    peek();
    size_t start = position;
    while (position < text.size() && text[position] >= '0' &&
           text[position] <= '9')
      ++position;
    if (start == position)
      return std::nullopt;
    std::string digits(text.substr(start, position - start));
    if (digits.size() > 1 && digits.front() == '0')
      return std::nullopt;
    if (position < text.size() && text[position] == 'L')
      ++position;
    return digits;
  }

  /// The next character that is not a space; 0 at the end.
  char peek() {
    position = text.find_first_not_of(" \t\n\r", position);
    if (position == std::string_view::npos)
      position = text.size();
    return position < text.size() ? text[position] : 0;
  }

private:
  std::string_view text;
  size_t position = 0;
};

Error malformed(const char *expected) {
  return makeError("the header is malformed: expected ", expected);
}

ErrorOr<DType> parseDescr(Scanner &scanner) {
  if (scanner.peek() == '[')
    return makeError("expected a plain dtype, but got a structured one");
  std::optional<std::string> descr = scanner.takeString();
  if (!descr)
    return malformed("a string as 'descr'");
  for (const TypeName &entry : typeNames)
    if (*descr == entry.descr)
      return entry.dtype;
  if (descr->find('O') != std::string::npos)
    return makeError("expected a numeric dtype, but got objects ('", *descr,
                     "')");
  if (!descr->empty() && descr->front() == '>')
    return makeError("expected a little-endian dtype, but got '", *descr, "'");
  return makeError("expected dtype f1 (f8E5M2), f2, f4, f8, i1, i4, i8, V1 "
                   "(f8E4M3FN) or V2 (bf16), but got '",
                   *descr, "'");
}

Error parseShape(Scanner &scanner, std::vector<int64_t> &shape) {
  // NumPy itself has at most 64 dimensions.
  constexpr size_t maxRank = 64;
  if (!scanner.take('('))
    return malformed("a tuple as 'shape'");
  while (!scanner.take(')')) {
    std::optional<std::string> digits = scanner.takeDigits();
    if (!digits)
      return malformed("non-negative integers without zeros before them in "
                       "'shape'");
    int64_t extent = 0;
    for (char digit : *digits)
      if (__builtin_mul_overflow(extent, int64_t(10), &extent) ||
          __builtin_add_overflow(extent, int64_t(digit - '0'), &extent))
        return makeError("expected extents below 2^63, but got ", *digits);
    if (shape.size() == maxRank)
      return makeError("expected at most ", maxRank, " dimensions");
    shape.push_back(extent);
    if (!scanner.take(',') && scanner.peek() != ')')
      return malformed("',' or ')' in 'shape'");
  }
  return Error::success();
}

} // namespace

ErrorOr<NpyHeader> sattn::runtime::parseNpyHeader(std::string_view text) {
  NpyHeader header;
  Scanner scanner(text);
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!scanner.take('{'))
    return malformed("a dictionary");
  while (!scanner.take('}')) {
    std::optional<std::string> key = scanner.takeString();
    if (!key)
      return malformed("a key");
    if (!scanner.take(':'))
      return malformed("':' after a key");
    if (*key == "descr" && !hasDescr) {
      ErrorOr<DType> dtype = parseDescr(scanner);
      if (!dtype)
        return dtype.takeError();
      header.dtype = *dtype;
      hasDescr = true;
    } else if (*key == "fortran_order" && !hasOrder) {
      header.fortranOrder = scanner.takeWord("True");
      if (!header.fortranOrder && !scanner.takeWord("False"))
        return malformed("True or False as 'fortran_order'");
      hasOrder = true;
    } else if (*key == "shape" && !hasShape) {
      if (Error err = parseShape(scanner, header.shape))
        return err;
      hasShape = true;
    } else {
      return malformed("'descr', 'fortran_order' and 'shape', each once");
    }
    if (!scanner.take(',') && scanner.peek() != '}')
      return malformed("',' or '}' after a value");
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return malformed("'descr', 'fortran_order' and 'shape', each once");
  if (scanner.peek() != 0)
    return malformed("nothing after the dictionary");

  std::optional<int64_t> size = byteSize(header.dtype, header.shape);
  if (!size)
    return makeError(
        "expected an array of less than 2^63 bytes, but got shape ",
        listText(header.shape));
  header.byteSize = *size;
  return header;
}

const char *sattn::runtime::npyDescr(DType dtype) {
  for (const TypeName &entry : typeNames)
    if (entry.dtype == dtype)
      return entry.descr;
  return "";
}
