//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An op's declaration of its tuning, and the same without the type of its
// facts, by which the choice, the space and the query of any op are found.

#ifndef SATTN_LIB_TUNING_OPTUNING_H
#define SATTN_LIB_TUNING_OPTUNING_H

#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/Space.h"

#include <memory>

namespace sattn::tuning {

/// How a problem is found in tables. A number of the key that is not known is
/// left out.
struct TableKey {
  /// Element types of the operands, and of the result if it differs.
  std::string dtype, outDtype = {};
  /// The sparsity in hundredths, if known.
  std::optional<int64_t> sparsity = {};
  /// The numbers of the key, as meta::OpSchema::keyNames.
  llvm::SmallVector<std::optional<int64_t>, 12> numbers = {};
};

/// One problem of an op.
class TunedProblem {
public:
  virtual ~TunedProblem() = default;
  virtual Parameters getDefaults(const Target &target) const = 0;
  /// The default with the numbers of `search.row` in the place of its own. An
  /// error says which is impossible.
  virtual llvm::Expected<Choice> fitRow(const Search &search) const = 0;
  virtual llvm::Expected<Choice> choose(llvm::ArrayRef<meta::Table> tables,
                                        const Search &search) const = 0;
  virtual TableKey getKey() const = 0;
  /// Adds the parameters of the space, whose default is known.
  virtual void addParameters(Space &space, const Target &target) const = 0;
  /// Why a tile is impossible on this target, whatever the hints.
  virtual std::string findTileProblem(const Parameters &tile,
                                      const Target &target) const = 0;
  /// Why hints are impossible with a tile that is possible.
  virtual std::string findHintsProblem(const Parameters &parameters,
                                       const Target &target) const = 0;
  /// Its time by the cost model; nothing where a size is not known.
  virtual std::optional<Estimate> estimate(const Parameters &parameters,
                                           const Target &target) const = 0;
};

/// An op whose parameters are tuned.
struct NamedOp {
  llvm::StringRef name;
  /// The schema of its rows in tables.
  const meta::OpSchema *schema;
  /// Reads the facts of a problem; NamedFacts::takeError says what is wrong.
  std::function<std::unique_ptr<TunedProblem>(NamedFacts &given)> read;
};

/// An op's declaration: functions of its own facts of one problem.
template <typename Facts> struct OpTuning {
  llvm::StringLiteral name;
  const meta::OpSchema *schema;
  Facts (*read)(NamedFacts &given);
  Parameters (*getDefaults)(const Facts &facts, const Target &target);
  llvm::Expected<Choice> (*fitRow)(const Facts &facts, const Search &search);
  TableKey (*getKey)(const Facts &facts);
  void (*addParameters)(Space &space, const Facts &facts, const Target &target);
  std::string (*findTileProblem)(const Facts &facts, const Parameters &tile,
                                 const Target &target);
  /// The problem with an op's hints; null: the checks of any op's hints
  /// (SpaceParts.h).
  std::string (*findHintsProblem)(const Facts &facts,
                                  const Parameters &parameters,
                                  const Target &target) = nullptr;
  /// The choice of parameters; null: chooseByTables.
  llvm::Expected<Choice> (*choose)(llvm::ArrayRef<meta::Table> tables,
                                   const Facts &facts,
                                   const Search &search) = nullptr;
  /// The time by the cost model; null: the op has none.
  std::optional<double> (*estimateCycles)(const Facts &facts,
                                          const Parameters &parameters,
                                          const Target &target) = nullptr;
  /// The time of a dense product; null: there is no such product.
  std::optional<double> (*estimateDense)(const Facts &facts,
                                         const Target &target) = nullptr;
};

/// The query of a problem; nothing where a number of its key is not known,
/// whose name `missing` then gets.
std::optional<meta::Query> makeQuery(const meta::OpSchema &schema,
                                     const TableKey &key, const Search &search,
                                     llvm::StringRef *missing = nullptr);

/// The parameters of `search.row` if given; else, if a device is named, those
/// of the first table's row that does and fits; else the default.
llvm::Expected<Choice> chooseByTables(llvm::ArrayRef<meta::Table> tables,
                                      const meta::OpSchema &schema,
                                      const TunedProblem &problem,
                                      const Search &search);

/// Why stages, warps or a raster group are impossible on this target.
std::string findCommonHintsProblem(const Parameters &parameters,
                                   const Target &target);

/// Why the register tile or the threads of a CPU are impossible.
std::string findRegistersProblem(const Parameters &parameters,
                                 const Target &target);
/// The parameters of a row, which nothing clamps, or, as an error, why their
/// register tile or threads are impossible.
llvm::Expected<Parameters> checkRegisters(const Parameters &fitted,
                                          const Target &target);

template <typename Facts> NamedOp makeNamedOp(const OpTuning<Facts> &tuning) {
  class Problem final : public TunedProblem {
  public:
    Problem(const OpTuning<Facts> &tuning, Facts facts)
        : tuning(tuning), facts(std::move(facts)) {}
    Parameters getDefaults(const Target &target) const override {
      return tuning.getDefaults(facts, target);
    }
    llvm::Expected<Choice> fitRow(const Search &search) const override {
      return tuning.fitRow(facts, search);
    }
    llvm::Expected<Choice> choose(llvm::ArrayRef<meta::Table> tables,
                                  const Search &search) const override {
      if (tuning.choose)
        return tuning.choose(tables, facts, search);
      return chooseByTables(tables, *tuning.schema, *this, search);
    }
    TableKey getKey() const override { return tuning.getKey(facts); }
    void addParameters(Space &space, const Target &target) const override {
      tuning.addParameters(space, facts, target);
    }
    std::string findTileProblem(const Parameters &tile,
                                const Target &target) const override {
      return tuning.findTileProblem(facts, tile, target);
    }
    std::string findHintsProblem(const Parameters &parameters,
                                 const Target &target) const override {
      if (tuning.findHintsProblem)
        return tuning.findHintsProblem(facts, parameters, target);
      return findCommonHintsProblem(parameters, target);
    }
    std::optional<Estimate> estimate(const Parameters &parameters,
                                     const Target &target) const override {
      if (!tuning.estimateCycles || target.kind == TargetKind::CPU)
        return std::nullopt;
      std::optional<double> cycles =
          tuning.estimateCycles(facts, parameters, target);
      if (!cycles)
        return std::nullopt;
      std::optional<double> dense;
      if (tuning.estimateDense)
        dense = tuning.estimateDense(facts, target);
      return Estimate{*cycles, dense.value_or(0) / *cycles};
    }

  private:
    OpTuning<Facts> tuning;
    Facts facts;
  };
  return {tuning.name, tuning.schema, [tuning](NamedFacts &given) {
            return std::make_unique<Problem>(tuning, tuning.read(given));
          }};
}

} // namespace sattn::tuning

#endif // SATTN_LIB_TUNING_OPTUNING_H
