//===- DimensionChecker.cpp - Comparisons of extents ----------------------===//

#include "DimensionChecker.h"

#include "ContractParts.h"
#include "Text.h"

using namespace sattn::runtime;

int64_t DimensionChecker::rank(size_t argument) const {
  return tensorOf(arguments, argument).rank();
}

int64_t DimensionChecker::extent(size_t argument, size_t fromEnd) const {
  const TensorView &tensor = tensorOf(arguments, argument);
  return tensor.shape[tensor.shape.size() - fromEnd];
}

std::string DimensionChecker::dimension(size_t argument, size_t fromEnd) const {
  return concat(manifest.describeArgument(argument), ": expected dimension ",
                size_t(rank(argument)) - fromEnd);
}

Error DimensionChecker::equal(size_t argument, size_t fromEnd, const char *what,
                              int64_t expected,
                              const std::string &reason) const {
  int64_t actual = extent(argument, fromEnd);
  if (actual == expected)
    return Error::success();
  return makeError(dimension(argument, fromEnd), " (", what, ") to be ",
                   expected, " (", reason, "), but got ", actual);
}

Error DimensionChecker::multiple(size_t argument, size_t fromEnd,
                                 const char *what, int64_t block,
                                 const char *side) const {
  int64_t actual = extent(argument, fromEnd);
  if (actual % block == 0)
    return Error::success();
  return makeError(dimension(argument, fromEnd), " (", what,
                   ") to be a multiple of the block's ", block, " ", side,
                   ", but got ", actual);
}

Error DimensionChecker::checkBlocks(size_t values, size_t col, int64_t rows,
                                    int64_t columns) const {
  if (Error err = equal(values, 2, "block rows", rows, "the block's"))
    return err;
  if (Error err = equal(values, 1, "block columns", columns, "the block's"))
    return err;
  return equal(col, 1, "stored blocks", extent(values, 3),
               "as in " + manifest.describeArgument(values));
}
