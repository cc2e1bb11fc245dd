//===- DimensionChecker.h - Comparisons of extents --------------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_DIMENSIONCHECKER_H
#define SATTN_LIB_RUNTIME_DIMENSIONCHECKER_H

#include "sattn/Runtime/Manifest.h"

#include <string>

namespace sattn::runtime {

/// Compares extents of tensors that are as the manifest declares them.
/// Dimensions are counted from the last, which is 1.
class DimensionChecker {
protected:
  DimensionChecker(const Manifest &manifest,
                   const std::vector<Argument> &arguments)
      : manifest(manifest), arguments(arguments) {}

  int64_t rank(size_t argument) const;
  int64_t extent(size_t argument, size_t fromEnd) const;

  /// How the message of a dimension begins.
  std::string dimension(size_t argument, size_t fromEnd) const;

  Error equal(size_t argument, size_t fromEnd, const char *what,
              int64_t expected, const std::string &reason) const;
  Error multiple(size_t argument, size_t fromEnd, const char *what,
                 int64_t block, const char *side) const;

  /// The blocks of a matrix have its size, and as many columns are given.
  Error checkBlocks(size_t values, size_t col, int64_t rows,
                    int64_t columns) const;

  const Manifest &manifest;
  const std::vector<Argument> &arguments;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_DIMENSIONCHECKER_H
