//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Space.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace sattn::tuning;

static constexpr std::pair<llvm::StringLiteral, int64_t Parameters::*>
    kSizes[] = {{"tile_m", &Parameters::rows},
                {"tile_n", &Parameters::columns},
                {"tile_k", &Parameters::depth}};
static constexpr std::pair<llvm::StringLiteral,
                           std::optional<int64_t> Parameters::*>
    kHints[] = {{"stages", &Parameters::stages},
                {"warps", &Parameters::warps},
                {"raster_group", &Parameters::rasterGroup},
                {"split_k", &Parameters::splitK},
                {"register_rows", &Parameters::registerRows},
                {"register_vectors", &Parameters::registerVectors},
                {"threads", &Parameters::threads}};

int64_t sattn::tuning::getParameter(const Parameters &parameters,
                                    llvm::StringRef name) {
  for (const auto &[size, member] : kSizes)
    if (name == size)
      return parameters.*member;
  for (const auto &[hint, member] : kHints)
    if (name == hint)
      return (parameters.*member).value_or(0);
  return 0;
}

void sattn::tuning::setParameter(Parameters &parameters, llvm::StringRef name,
                                 int64_t value) {
  for (const auto &[size, member] : kSizes)
    if (name == size)
      parameters.*member = value;
  for (const auto &[hint, member] : kHints)
    if (name == hint)
      parameters.*member =
          value == 0 ? std::nullopt : std::optional<int64_t>(value);
}

llvm::ArrayRef<llvm::StringLiteral> sattn::tuning::getParameterNames() {
  static const llvm::SmallVector<llvm::StringLiteral> names = [] {
    llvm::SmallVector<llvm::StringLiteral> all;
    for (const auto &[name, member] : kSizes)
      all.push_back(name);
    for (const auto &[name, member] : kHints)
      all.push_back(name);
    return all;
  }();
  return names;
}

llvm::SmallVector<int64_t, 10>
sattn::tuning::listValues(const Parameters &parameters) {
  llvm::SmallVector<int64_t, 10> values;
  for (llvm::StringRef name : getParameterNames())
    values.push_back(getParameter(parameters, name));
  return values;
}

Parameters sattn::tuning::makeParameters(llvm::ArrayRef<int64_t> values) {
  Parameters parameters;
  for (auto [name, value] : llvm::zip_equal(getParameterNames(), values))
    setParameter(parameters, name, value);
  return parameters;
}

/// Calls `visit` with each combination of the values from a parameter on.
static void visitValues(llvm::ArrayRef<TunedParameter> parameters,
                        Parameters &candidate,
                        llvm::function_ref<void(const Parameters &)> visit) {
  if (parameters.empty())
    return visit(candidate);
  for (int64_t value : parameters.front().values) {
    setParameter(candidate, parameters.front().name, value);
    visitValues(parameters.drop_front(), candidate, visit);
  }
}

std::vector<Parameters> sattn::tuning::listCandidates(const Space &space) {
  std::vector<Parameters> candidates = {space.defaults};
  Parameters candidate = space.defaults;
  visitValues(space.parameters, candidate, [&](const Parameters &values) {
    if (listValues(values) != listValues(space.defaults) &&
        space.problem(values).empty())
      candidates.push_back(values);
  });
  return candidates;
}
