//===- ContractShapes.cpp - Kinds, types and shapes of arguments ----------===//

#include "ContractParts.h"
#include "sattn/Runtime/Text.h"

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
  for (const Contract &contract : manifest.contracts)
    if (Error err = checkExtents(manifest, contract, arguments))
      return err;
  return Error::success();
}

Error sattn::runtime::checkContracts(const Manifest &manifest,
                                     const std::vector<Argument> &arguments,
                                     ContentCheck contents) {
  if (Error err = checkArguments(manifest, arguments))
    return err;
  for (const Contract &contract : manifest.contracts) {
    if (Error err = checkExtents(manifest, contract, arguments))
      return err;
    if (Error err = checkAliasing(manifest, contract, arguments))
      return err;
    if (contents == ContentCheck::On)
      if (Error err = checkContents(manifest, contract, arguments))
        return err;
  }
  return Error::success();
}
