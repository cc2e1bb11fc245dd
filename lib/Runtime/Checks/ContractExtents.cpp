//===- ContractExtents.cpp - Extents of a contract's operands -------------===//

#include "ContractParts.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>

using namespace sattn::runtime;

namespace {

/// Checks one contract, of arguments that are as the manifest declares them.
class ExtentChecker {
public:
  ExtentChecker(const Manifest &manifest,
                const std::vector<Argument> &arguments)
      : manifest(manifest), arguments(arguments) {}

  Error operator()(const MultipleCheck &check) const {
    int64_t actual = valueOf(check.extent, arguments);
    if (actual % check.factor == 0)
      return Error::success();
    return makeError(dimension(check.extent), " (", check.what,
                     ") to be a multiple of ", check.reason, ", but got ",
                     actual);
  }

  Error operator()(const EqualCheck &check) const {
    int64_t actual = valueOf(check.extent, arguments);
    int64_t expected = valueOf(check.expected, arguments);
    if (actual == expected)
      return Error::success();
    std::string reason =
        check.reason.empty()
            ? "as in " + manifest.describeArgument(*check.expected.argument)
            : check.reason;
    return makeError(dimension(check.extent), " (", check.what, ") to be ",
                     expected, " (", reason, "), but got ", actual);
  }

  Error operator()(const AtLeastCheck &check) const {
    int64_t actual = valueOf(check.extent, arguments);
    if (actual >= check.least)
      return Error::success();
    return makeError(manifest.describeArgument(*check.extent.argument),
                     ": expected at least ", check.least, " ", check.what,
                     ", but got ", actual);
  }

  Error operator()(const StackedCheck &check) const {
    int64_t actual = valueOf(check.extent, arguments);
    int64_t each = valueOf(check.each, arguments);
    if (each == 0 ? actual == 1 : (actual - 1) % each == 0)
      return Error::success();
    return makeError(manifest.describeArgument(*check.extent.argument),
                     ": expected one ", check.what, " and ", each,
                     " for each batch (", check.reason, "), but got ", actual);
  }

  // Checks of memory and of contents.
  template <class Other> Error operator()(const Other &) const {
    return Error::success();
  }

  /// Checks that batch dimensions are equal or 1, aligned at the last.
  Error checkBatches(const Contract &contract) const {
    for (const ContractOperand &operand : contract.operands) {
      if (contract.batches) {
        if (Error err =
                broadcasts(operand, contract.operands[*contract.batches],
                           /*eitherWay=*/false))
          return err;
        continue;
      }
      for (const ContractOperand &other : contract.operands)
        if (Error err = broadcasts(operand, other, /*eitherWay=*/true))
          return err;
    }
    return Error::success();
  }

private:
  const Manifest &manifest;
  const std::vector<Argument> &arguments;

  /// How the message of a dimension begins.
  std::string dimension(const ExtentSource &extent) const {
    return concat(manifest.describeArgument(*extent.argument),
                  ": expected dimension ", extent.number);
  }

  Error broadcasts(const ContractOperand &operand, const ContractOperand &other,
                   bool eitherWay) const {
    if (!operand.coreRank || !other.coreRank)
      return Error::success();
    const auto &shape = tensorOf(arguments, *operand.argument).shape;
    const auto &wanted = tensorOf(arguments, *other.argument).shape;
    size_t batchRank = shape.size() - *operand.coreRank;
    size_t common = std::min(batchRank, wanted.size() - *other.coreRank);
    for (size_t i = 1; i <= common; ++i) {
      int64_t actual = shape[batchRank - i];
      int64_t expected = wanted[wanted.size() - *other.coreRank - i];
      if (actual != expected && actual != 1 && !(eitherWay && expected == 1))
        return makeError(manifest.describeArgument(*operand.argument),
                         ": expected dimension ", batchRank - i,
                         " (batch) to be 1 or ", expected, " (as in ",
                         manifest.describeArgument(*other.argument),
                         "), but got ", actual);
    }
    return Error::success();
  }
};

} // namespace

Error sattn::runtime::checkExtents(const Manifest &manifest,
                                   const Contract &contract,
                                   const std::vector<Argument> &arguments) {
  ExtentChecker checker(manifest, arguments);
  for (const ContractCheck &check : contract.checks)
    if (Error err = std::visit(checker, check))
      return err;
  return checker.checkBatches(contract);
}
