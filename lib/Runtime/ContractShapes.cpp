//===- ContractShapes.cpp - Kinds, types and shapes of arguments ----------===//

#include "ContractParts.h"
#include "DimensionChecker.h"
#include "Text.h"

using namespace sattn::runtime;

namespace {

Error checkTensor(const std::string &who, const ArgumentSpec &spec,
                  const TensorView &tensor) {
  if (tensor.dtype != spec.type)
    return makeError(who, ": expected elements of ", name(spec.type),
                     ", but got ", name(tensor.dtype));
  if (tensor.rank() != spec.rank)
    return makeError(who, ": expected rank ", spec.rank, ", but got ",
                     tensor.rank(), " (shape ", listText(tensor.shape), ")");
  if (tensor.strides.size() != tensor.shape.size())
    return makeError(who, ": expected ", tensor.shape.size(),
                     " strides, but got ", tensor.strides.size());
  for (int64_t extent : tensor.shape)
    if (extent < 0)
      return makeError(who, ": expected extents of at least 0, but got shape ",
                       listText(tensor.shape));
  return Error::success();
}

/// Compares the shapes of one bsr_addmm.
class ShapeChecker : DimensionChecker {
public:
  ShapeChecker(const Manifest &manifest, const BsrAddmmContract &contract,
               const std::vector<Argument> &arguments)
      : DimensionChecker(manifest, arguments), contract(contract) {}

  Error check() const {
    int64_t rows = contract.blockRows, cols = contract.blockCols;
    const size_t crow = contract.crow, b = contract.b, out = contract.out;
    int64_t m = extent(out, 2), n = extent(out, 1);
    std::string outName = manifest.describeArgument(out);

    if (Error err = multiple(out, 2, "M", rows, "rows"))
      return err;
    if (Error err = multiple(b, 2, "K", cols, "columns"))
      return err;
    if (Error err = equal(crow, 1, "offsets", m / rows + 1,
                          concat("M / ", rows, " + 1")))
      return err;
    if (Error err = checkBlocks(contract.values, contract.col, rows, cols))
      return err;
    if (Error err = equal(b, 1, "N", n, "as in " + outName))
      return err;
    if (contract.input) {
      if (Error err = equal(*contract.input, 2, "M", m, "as in " + outName))
        return err;
      if (Error err = equal(*contract.input, 1, "N", n, "as in " + outName))
        return err;
    }
    if (contract.left)
      if (Error err = equal(*contract.left, 1, "M", m, "as in " + outName))
        return err;
    if (contract.right)
      if (Error err = equal(*contract.right, 1, "N", n, "as in " + outName))
        return err;
    return checkBatches();
  }

private:
  Error checkBatches() const {
    constexpr size_t outCore = 2;
    struct {
      std::optional<size_t> argument;
      size_t coreRank;
    } operands[] = {{contract.crow, 1},   {contract.col, 1},
                    {contract.values, 3}, {contract.b, 2},
                    {contract.input, 2},  {contract.left, 1},
                    {contract.right, 1}};
    for (const auto &operand : operands) {
      if (!operand.argument)
        continue;
      size_t argument = *operand.argument;
      size_t batchRank =
          tensorOf(arguments, argument).shape.size() - operand.coreRank;
      for (size_t i = 1; i <= batchRank; ++i) {
        int64_t actual = extent(argument, operand.coreRank + i);
        int64_t expected = extent(contract.out, outCore + i);
        if (actual != expected && actual != 1)
          return makeError(dimension(argument, operand.coreRank + i),
                           " (batch) to be 1 or ", expected, " (as in ",
                           manifest.describeArgument(contract.out),
                           "), but got ", actual);
      }
    }
    return Error::success();
  }

  const BsrAddmmContract &contract;
};

} // namespace

/// Number, kinds, types and extents.
static Error checkDeclared(const Manifest &manifest,
                           const std::vector<Argument> &arguments) {
  if (arguments.size() != manifest.arguments.size())
    return makeError("program '", manifest.name, "': expected ",
                     manifest.arguments.size(), " arguments, but got ",
                     arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec &spec = manifest.arguments[i];
    std::string who = manifest.describeArgument(i);
    const auto *tensor = std::get_if<TensorView>(&arguments[i]);
    if (spec.isTensor && !tensor)
      return makeError(who, ": expected a tensor, but got a scalar");
    if (!spec.isTensor && tensor)
      return makeError(who, ": expected a scalar, but got a tensor");
    if (tensor)
      if (Error err = checkTensor(who, spec, *tensor))
        return err;
  }
  return Error::success();
}

Error sattn::runtime::checkArguments(const Manifest &manifest,
                                     const std::vector<Argument> &arguments) {
  if (Error err = checkDeclared(manifest, arguments))
    return err;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const auto *tensor = std::get_if<TensorView>(&arguments[i]))
      if (Error err = checkPlacement(manifest.describeArgument(i), *tensor))
        return err;
  return Error::success();
}

Error sattn::runtime::checkShapes(const Manifest &manifest,
                                  const std::vector<Argument> &arguments) {
  if (Error err = checkDeclared(manifest, arguments))
    return err;
  for (const BsrAddmmContract &contract : manifest.contracts)
    if (Error err = ShapeChecker(manifest, contract, arguments).check())
      return err;
  for (const BsrStorageContract &contract : manifest.storages)
    if (Error err = checkStorageShapes(manifest, contract, arguments))
      return err;
  return Error::success();
}

Error sattn::runtime::checkContracts(const Manifest &manifest,
                                     const std::vector<Argument> &arguments,
                                     ContentCheck contents) {
  if (Error err = checkArguments(manifest, arguments))
    return err;
  for (const BsrAddmmContract &contract : manifest.contracts) {
    if (Error err = ShapeChecker(manifest, contract, arguments).check())
      return err;
    if (Error err = checkAliasing(manifest, contract, arguments))
      return err;
    if (contents == ContentCheck::On)
      if (Error err = checkBsrContents(manifest, contract, arguments))
        return err;
  }
  for (const BsrStorageContract &contract : manifest.storages) {
    if (Error err = checkStorageShapes(manifest, contract, arguments))
      return err;
    if (Error err = checkStorageAliasing(manifest, contract, arguments))
      return err;
    if (contents == ContentCheck::On)
      if (Error err = checkBsrContents(manifest, contract, arguments))
        return err;
  }
  return Error::success();
}
