//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tuning space of an op: its parameters, their values, and which
// combinations are possible. Each op declares it once (lib/Tuning/<Op>), and
// tuners, tests and documentation read it.

#ifndef SATTN_TUNING_SPACE_H
#define SATTN_TUNING_SPACE_H

#include "sattn/Tuning/NamedFacts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sattn::tuning {

/// A parameter that may be tuned, and its values in ascending order. 0: the
/// parameter is not given, and the passes choose.
struct TunedParameter {
  llvm::StringLiteral name;
  llvm::SmallVector<int64_t> values;
};

/// The tuning space of one problem.
struct Space {
  /// tile_m, tile_n, tile_k, stages, warps, raster_group, split_k: those that
  /// the op and the target have.
  llvm::SmallVector<TunedParameter> parameters;
  /// The computed default.
  Parameters defaults;
  /// Why a candidate is impossible ("expected ..., but got ..."); an empty text
  /// where it is possible. It owns what it reads.
  std::function<std::string(const Parameters &)> problem;
};

/// The space of an op by its name. An error names the op or the fact that
/// cannot be.
llvm::Expected<Space> getSpace(llvm::StringRef op,
                               llvm::ArrayRef<NamedFact> facts,
                               const Target &target);

/// The possible combinations of a space, the default first, then in the order
/// of their values; each once.
std::vector<Parameters> listCandidates(const Space &space);

/// The names of all parameters, in the order of their values.
llvm::ArrayRef<llvm::StringLiteral> getParameterNames();
/// The values of all parameters, 0 for those that are not given.
llvm::SmallVector<int64_t, 10> listValues(const Parameters &parameters);
/// Parameters with these values, one for each name of getParameterNames.
Parameters makeParameters(llvm::ArrayRef<int64_t> values);

/// A parameter by its name; 0 where it is not given.
int64_t getParameter(const Parameters &parameters, llvm::StringRef name);
/// Sets a parameter by its name; 0: it is not given.
void setParameter(Parameters &parameters, llvm::StringRef name, int64_t value);

/// The query of tables for a problem; nothing where its facts leave out a
/// number of the key.
llvm::Expected<std::optional<meta::Query>>
getQuery(llvm::StringRef op, llvm::ArrayRef<NamedFact> facts,
         const Search &search);

} // namespace sattn::tuning

#endif // SATTN_TUNING_SPACE_H
