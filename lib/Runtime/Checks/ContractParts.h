//===- ContractParts.h - Parts of the checks of arguments -------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_CHECKS_CONTRACTPARTS_H
#define SATTN_LIB_RUNTIME_CHECKS_CONTRACTPARTS_H

#include "sattn/Runtime/Contract.h"

#include <string>

namespace sattn::runtime {

/// A range of bytes, [begin, end).
struct ByteRange {
  uint64_t begin = 0, end = 0;
};

/// The smallest range that holds every element; nothing where an address does
/// not fit. Empty for an empty tensor.
std::optional<ByteRange> byteRange(const TensorView &tensor);

/// Whether the ranges of both have a byte in common.
bool overlap(const TensorView &a, const TensorView &b);

/// Whether both have the same elements in the same places.
bool isSameTensor(const TensorView &a, const TensorView &b);

/// The tensor in an argument that has been checked to be one.
inline const TensorView &tensorOf(const std::vector<Argument> &arguments,
                                  size_t index) {
  return std::get<TensorView>(arguments[index]);
}

/// The number, of arguments whose kinds and ranks have been checked.
inline int64_t valueOf(const ExtentSource &extent,
                       const std::vector<Argument> &arguments) {
  int64_t number =
      extent.argument
          ? tensorOf(arguments, *extent.argument).shape[extent.number]
          : extent.number;
  bool isMore = extent.isRoundedUp && number % extent.divisor != 0;
  return number / extent.divisor + isMore + extent.plus;
}

/// Checks the extents of one contract, in arguments that are as declared.
Error checkExtents(const Manifest &manifest, const Contract &contract,
                   const std::vector<Argument> &arguments);

/// Checks that a tensor's elements lie in memory that can exist: no null
/// pointer, no address past the end of the address space, aligned to the
/// element's width. `who` begins the messages.
Error checkPlacement(const std::string &who, const TensorView &tensor);

/// Checks which arguments may share memory. The placements have been checked.
Error checkAliasing(const Manifest &manifest, const Contract &contract,
                    const std::vector<Argument> &arguments);

/// Checks the contents of arrays of indices, in host memory. Their shapes have
/// been checked. Offsets of any type are compared in 64 bits.
Error checkContents(const Manifest &manifest, const Contract &contract,
                    const std::vector<Argument> &arguments);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_CHECKS_CONTRACTPARTS_H
