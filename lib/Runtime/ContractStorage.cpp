//===- ContractStorage.cpp - Shapes of a matrix's storage -----------------===//

#include "ContractParts.h"
#include "Text.h"

using namespace sattn::runtime;

namespace {

class StorageChecker {
public:
  StorageChecker(const Manifest &manifest, const BsrStorageContract &contract,
                 const std::vector<Argument> &arguments)
      : manifest(manifest), contract(contract), arguments(arguments) {}

  Error check() const {
    if (Error err = equal(contract.values, 2, "block rows", contract.blockRows,
                          "the block's"))
      return err;
    if (Error err = equal(contract.values, 1, "block columns",
                          contract.blockCols, "the block's"))
      return err;
    if (Error err =
            equal(contract.col, 1, "stored blocks", extent(contract.values, 3),
                  "as in " + manifest.describeArgument(contract.values)))
      return err;
    if (Error err =
            multiple(contract.columns, "K", contract.blockCols, "columns"))
      return err;
    if (Error err = multiple(contract.rows, "M", contract.blockRows, "rows"))
      return err;
    if (Error err = checkOffsets())
      return err;
    return checkBatches();
  }

private:
  const Manifest &manifest;
  const BsrStorageContract &contract;
  const std::vector<Argument> &arguments;

  /// The extent of a dimension counted from the last, which is 1.
  int64_t extent(size_t argument, size_t fromEnd) const {
    const TensorView &tensor = tensorOf(arguments, argument);
    return tensor.shape[tensor.shape.size() - fromEnd];
  }

  std::string dimension(size_t argument, size_t number) const {
    return concat(manifest.describeArgument(argument), ": expected dimension ",
                  number);
  }

  Error equal(size_t argument, size_t fromEnd, const char *what,
              int64_t expected, const std::string &reason) const {
    int64_t actual = extent(argument, fromEnd);
    if (actual == expected)
      return Error::success();
    size_t rank = tensorOf(arguments, argument).shape.size();
    return makeError(dimension(argument, rank - fromEnd), " (", what,
                     ") to be ", expected, " (", reason, "), but got ", actual);
  }

  /// The compiler has checked constants.
  Error multiple(const std::optional<ExtentSource> &source, const char *what,
                 int64_t block, const char *side) const {
    if (!source || !source->argument)
      return Error::success();
    int64_t actual = valueOf(*source, arguments);
    if (actual % block == 0)
      return Error::success();
    return makeError(dimension(*source->argument, size_t(source->number)), " (",
                     what, ") to be a multiple of the block's ", block, " ",
                     side, ", but got ", actual);
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
        size_t rank = tensorOf(arguments, part.argument).shape.size();
        size_t otherRank = tensorOf(arguments, other.argument).shape.size();
        for (size_t i = 1;
             i <= std::min(rank - part.coreRank, otherRank - other.coreRank);
             ++i) {
          int64_t actual = extent(part.argument, part.coreRank + i);
          int64_t expected = extent(other.argument, other.coreRank + i);
          if (actual != expected && actual != 1 && expected != 1)
            return makeError(dimension(part.argument, rank - part.coreRank - i),
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
