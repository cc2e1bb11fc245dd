//===- ContractStorage.cpp - Shapes of a matrix's storage -----------------===//

#include "ContractParts.h"
#include "DimensionChecker.h"
#include "Text.h"

using namespace sattn::runtime;

namespace {

class StorageChecker : DimensionChecker {
public:
  StorageChecker(const Manifest &manifest, const BsrStorageContract &contract,
                 const std::vector<Argument> &arguments)
      : DimensionChecker(manifest, arguments), contract(contract) {}

  Error check() const {
    if (Error err = checkBlocks(contract.values, contract.col,
                                contract.blockRows, contract.blockCols))
      return err;
    if (Error err =
            multipleOf(contract.columns, "K", contract.blockCols, "columns"))
      return err;
    if (Error err = multipleOf(contract.rows, "M", contract.blockRows, "rows"))
      return err;
    if (Error err = checkOffsets())
      return err;
    return checkBatches();
  }

private:
  const BsrStorageContract &contract;

  /// The compiler has checked constants.
  Error multipleOf(const std::optional<ExtentSource> &source, const char *what,
                   int64_t block, const char *side) const {
    if (!source || !source->argument)
      return Error::success();
    size_t fromEnd = size_t(rank(*source->argument) - source->number);
    return multiple(*source->argument, fromEnd, what, block, side);
  }

  Error checkOffsets() const {
    int64_t length = extent(contract.crow, 1);
    std::string who = manifest.describeArgument(contract.crow);
    if (length < 1)
      return makeError(who, ": expected at least 1 offset, but got ", length);
    if (!contract.rows)
      return Error::success();
    int64_t rows = valueOf(*contract.rows, arguments) / contract.blockRows;
    if (!contract.oneList)
      return equal(contract.crow, 1, "offsets", rows + 1,
                   concat("M / ", contract.blockRows, " + 1"));
    bool isWhole = rows == 0 ? length == 1 : (length - 1) % rows == 0;
    if (isWhole)
      return Error::success();
    return makeError(who, ": expected one offset and ", rows,
                     " for each batch (M / ", contract.blockRows, "), but got ",
                     length);
  }

  /// Batch dimensions are equal or 1, aligned at the last.
  Error checkBatches() const {
    struct {
      size_t argument, coreRank;
    } parts[] = {{contract.values, 3}, {contract.col, 1}, {contract.crow, 1}};
    for (const auto &part : parts)
      for (const auto &other : parts) {
        size_t batchRank =
            std::min(size_t(rank(part.argument)) - part.coreRank,
                     size_t(rank(other.argument)) - other.coreRank);
        for (size_t i = 1; i <= batchRank; ++i) {
          int64_t actual = extent(part.argument, part.coreRank + i);
          int64_t expected = extent(other.argument, other.coreRank + i);
          if (actual != expected && actual != 1 && expected != 1)
            return makeError(dimension(part.argument, part.coreRank + i),
                             " (batch) to be 1 or ", expected, " (as in ",
                             manifest.describeArgument(other.argument),
                             "), but got ", actual);
        }
      }
    return Error::success();
  }
};

} // namespace

Error sattn::runtime::checkStorageShapes(
    const Manifest &manifest, const BsrStorageContract &contract,
    const std::vector<Argument> &arguments) {
  return StorageChecker(manifest, contract, arguments).check();
}
