//===- ManifestParseContracts.cpp - Manifests: contracts ------------------===//

#include "ManifestParser.h"

#include <algorithm>

using namespace sattn::runtime;

namespace {

constexpr int64_t maxNumber = std::numeric_limits<int32_t>::max();

/// A text such as "i32 or i64" or "f16, bf16 or f32".
std::string alternatives(const std::vector<DType> &types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0)
      text += i + 1 == types.size() ? " or " : ", ";
    text += name(types[i]);
  }
  return text;
}

/// An operand as it is written: what it must be, beside which argument it is.
struct ParsedOperand {
  JsonNode node;
  std::vector<DType> types;
  /// The name of an operand whose type it may have, too.
  std::string sameTypeAs;
  bool isWritten = false;
};

/// Reads one contract.
class ContractParser {
public:
  ContractParser(const JsonNode &node, const Manifest &manifest,
                 Contract &contract)
      : node(node), manifest(manifest), contract(contract) {}

  Error parse() {
    if (Error err =
            node.expectObject({"op", "operands", "batches", "checks", "fused"}))
      return err;
    if (Error err = node.string("op", contract.op))
      return err;
    if (node.has("fused"))
      if (Error err = node.boolean("fused", contract.fused))
        return err;
    std::vector<JsonNode> items;
    if (Error err = node.array("operands", items))
      return err;
    for (const JsonNode &item : items)
      if (Error err = parseOperand(item))
        return err;
    if (Error err = parseBatches())
      return err;
    for (size_t i = 0; i < parsed.size(); ++i)
      if (Error err = checkType(i))
        return err;
    if (Error err = checkRanks())
      return err;
    if (!node.has("checks"))
      return Error::success();
    std::vector<JsonNode> checks;
    if (Error err = node.array("checks", checks))
      return err;
    for (const JsonNode &check : checks)
      if (Error err = parseCheck(check))
        return err;
    return Error::success();
  }

private:
  const JsonNode &node;
  const Manifest &manifest;
  Contract &contract;
  std::vector<ParsedOperand> parsed;

  const ArgumentSpec &specOf(const ContractOperand &operand) const {
    return manifest.arguments[*operand.argument];
  }

  Error parseOperand(const JsonNode &item) {
    if (Error err = item.expectObject({"name", "argument", "constant", "rank",
                                       "types", "type_of", "written"}))
      return err;
    ContractOperand operand;
    ParsedOperand more{item, {}, {}, false};
    if (Error err = item.string("name", operand.name))
      return err;
    if (contract.find(operand.name))
      return item.fail("expected different names, but got '", operand.name,
                       "' twice");
    if (item.has("argument") == item.has("constant"))
      return item.fail("expected either 'argument' or 'constant' for '",
                       operand.name, "'");
    if (item.has("constant")) {
      if (Error err = item.expectObject({"name", "constant"}))
        return err;
      if (Error err = item.number("constant", operand.constant))
        return err;
    } else if (!item.has("rank")) {
      if (Error err = item.expectObject({"name", "argument"}))
        return err;
      size_t argument = 0;
      if (Error err = parseScalarIndex(item, "argument", manifest, argument))
        return err;
      operand.argument = argument;
    } else if (Error err = parseTensor(item, operand, more)) {
      return err;
    }
    contract.operands.push_back(std::move(operand));
    parsed.push_back(std::move(more));
    return Error::success();
  }

  Error parseTensor(const JsonNode &item, ContractOperand &operand,
                    ParsedOperand &more) {
    size_t argument = 0;
    if (Error err = parseTensorIndex(item, "argument", manifest, argument))
      return err;
    operand.argument = argument;
    int64_t rank = 0;
    if (Error err = item.integer("rank", 0, maxNumber, rank))
      return err;
    operand.coreRank = size_t(rank);
    if (item.has("type_of"))
      if (Error err = item.string("type_of", more.sameTypeAs))
        return err;
    if (item.has("written"))
      if (Error err = item.boolean("written", more.isWritten))
        return err;
    if (!item.has("types"))
      return Error::success();
    std::vector<JsonNode> types;
    if (Error err = item.array("types", types))
      return err;
    for (const JsonNode &type : types)
      if (Error err = type.asType(more.types.emplace_back()))
        return err;
    return Error::success();
  }

  Error parseBatches() {
    if (!node.has("batches"))
      return Error::success();
    std::string name;
    if (Error err = node.string("batches", name))
      return err;
    const ContractOperand *operand = contract.find(name);
    if (!operand || !operand->coreRank)
      return node.fail("expected 'batches' to be a tensor operand, but got '",
                       name, "'");
    contract.batches = size_t(operand - contract.operands.data());
    return Error::success();
  }

  Error checkType(size_t i) const {
    const ContractOperand &operand = contract.operands[i];
    const ParsedOperand &more = parsed[i];
    if (!operand.coreRank || (more.types.empty() && more.sameTypeAs.empty()))
      return Error::success();
    DType type = specOf(operand).type;
    bool holds = std::find(more.types.begin(), more.types.end(), type) !=
                 more.types.end();
    std::string what = "of " + alternatives(more.types);
    if (!more.sameTypeAs.empty()) {
      const ContractOperand *same = contract.find(more.sameTypeAs);
      if (!same || !same->coreRank)
        return more.node.fail("expected 'type_of' to be a tensor operand, but "
                              "got '",
                              more.sameTypeAs, "'");
      holds |= type == specOf(*same).type;
      what = (more.types.empty() ? std::string("of ") : what + " or ") +
             "the same type as '" + more.sameTypeAs + "'";
    }
    if (holds)
      return Error::success();
    return node.fail("expected '", operand.name, "' to be ", what, ", but ",
                     manifest.describeArgument(*operand.argument), " is of ",
                     name(type));
  }

  /// Checks that each tensor has its own dimensions, and no more batch
  /// dimensions than the operand that has them all.
  Error checkRanks() const {
    if (contract.batches)
      if (Error err = checkRank(*contract.batches))
        return err;
    for (size_t i = 0; i < parsed.size(); ++i)
      if (Error err = checkRank(i))
        return err;
    for (size_t i = 0; i < parsed.size(); ++i) {
      const ContractOperand &operand = contract.operands[i];
      if (parsed[i].isWritten && specOf(operand).access == Access::Read)
        return node.fail("expected '", operand.name, "' to be written, but ",
                         manifest.describeArgument(*operand.argument),
                         " is only read");
    }
    return Error::success();
  }

  Error checkRank(size_t i) const {
    const ContractOperand &operand = contract.operands[i];
    if (!operand.coreRank)
      return Error::success();
    int64_t rank = specOf(operand).rank, core = int64_t(*operand.coreRank);
    if (!contract.batches) {
      if (rank >= core)
        return Error::success();
      return node.fail(
          "expected '", operand.name, "' to have rank ", core, " or more, but ",
          manifest.describeArgument(*operand.argument), " has rank ", rank);
    }
    const ContractOperand &all = contract.operands[*contract.batches];
    int64_t batchRank = specOf(all).rank - int64_t(*all.coreRank);
    if (rank >= core && rank <= core + batchRank)
      return Error::success();
    return node.fail("expected '", operand.name, "' to have rank ", core,
                     " and at most ", std::max<int64_t>(batchRank, 0),
                     " batch dimensions, as '", all.name, "' has, but ",
                     manifest.describeArgument(*operand.argument), " has rank ",
                     rank);
  }

  /// Parses {"constant": n} or {"argument": i, "dimension": d}, perhaps
  /// divided, then added to. A dimension below 0 counts from the end.
  Error parseExtent(const JsonNode &check, const char *key,
                    ExtentSource &source) const {
    ErrorOr<JsonNode> extent = check.member(key);
    if (!extent)
      return extent.takeError();
    if (Error err = extent->expectObject({"constant", "argument", "dimension",
                                          "divided_by", "rounded_up", "plus"}))
      return err;
    if (extent->has("rounded_up"))
      if (Error err = extent->boolean("rounded_up", source.isRoundedUp))
        return err;
    if (extent->has("divided_by"))
      if (Error err =
              extent->integer("divided_by", 1, maxNumber, source.divisor))
        return err;
    if (extent->has("plus"))
      if (Error err = extent->integer("plus", 0, maxNumber, source.plus))
        return err;
    if (extent->has("constant") == extent->has("argument"))
      return extent->fail("expected either 'constant' or 'argument'");
    if (extent->has("constant"))
      return extent->integer("constant", 0,
                             std::numeric_limits<int64_t>::max() - maxNumber,
                             source.number);
    size_t argument = 0;
    if (Error err = parseTensorIndex(*extent, "argument", manifest, argument))
      return err;
    int64_t rank = manifest.arguments[argument].rank;
    if (Error err =
            extent->integer("dimension", -rank, rank - 1, source.number))
      return err;
    if (source.number < 0)
      source.number += rank;
    source.argument = argument;
    return Error::success();
  }

  /// Parses an extent that is an argument's as it is, which messages name.
  Error parseDimension(const JsonNode &check, ExtentSource &source) const {
    if (Error err = parseExtent(check, "extent", source))
      return err;
    if (source.argument && source.divisor == 1 && source.plus == 0)
      return Error::success();
    return check.fail("expected 'extent' to be the dimension of an argument");
  }

  bool isOperand(size_t argument) const {
    return std::any_of(contract.operands.begin(), contract.operands.end(),
                       [&](const ContractOperand &operand) {
                         return operand.argument == argument &&
                                operand.coreRank;
                       });
  }

  /// Parses an array of indices, which must be an operand, so that its batches
  /// fit.
  Error parseIndexArray(const JsonNode &check, const char *key,
                        size_t &argument) const {
    if (Error err = parseTensorIndex(check, key, manifest, argument))
      return err;
    const ArgumentSpec &spec = manifest.arguments[argument];
    if ((spec.type == DType::I32 || spec.type == DType::I64) && spec.rank > 0 &&
        isOperand(argument))
      return Error::success();
    return check.fail(
        "expected '", key,
        "' to be an operand with elements of i32 or i64, but got ",
        manifest.describeArgument(argument));
  }

  Error parseArguments(const JsonNode &check, const char *key,
                       std::vector<size_t> &arguments) const {
    std::vector<JsonNode> items;
    if (Error err = check.array(key, items))
      return err;
    for (const JsonNode &item : items) {
      size_t argument = 0;
      if (Error err =
              item.asIndex("arguments", manifest.arguments.size(), argument))
        return err;
      if (!manifest.arguments[argument].isTensor)
        return item.fail("expected a tensor, but got scalar ",
                         manifest.describeArgument(argument));
      arguments.push_back(argument);
    }
    return Error::success();
  }

  Error parseCheck(const JsonNode &check) {
    std::string kind;
    if (Error err = check.string("check", kind))
      return err;
    struct {
      const char *kind;
      Error (ContractParser::*parse)(const JsonNode &);
    } kinds[] = {{"multiple", &ContractParser::parseMultiple},
                 {"equal", &ContractParser::parseEqual},
                 {"at_least", &ContractParser::parseAtLeast},
                 {"stacked", &ContractParser::parseStacked},
                 {"apart", &ContractParser::parseApart},
                 {"read_only", &ContractParser::parseReadOnly},
                 {"offsets", &ContractParser::parseOffsets},
                 {"indices", &ContractParser::parseIndices},
                 {"within", &ContractParser::parseWithin},
                 {"listed", &ContractParser::parseListed},
                 {"in_grid", &ContractParser::parseInGrid}};
    for (const auto &entry : kinds)
      if (kind == entry.kind)
        return (this->*entry.parse)(check);
    return check.fail("unknown check '", kind, "'");
  }

  Error parseMultiple(const JsonNode &check) {
    MultipleCheck result;
    if (Error err =
            check.expectObject({"check", "extent", "what", "of", "reason"}))
      return err;
    if (Error err = parseDimension(check, result.extent))
      return err;
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = check.integer("of", 1, maxNumber, result.factor))
      return err;
    if (Error err = check.string("reason", result.reason))
      return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseEqual(const JsonNode &check) {
    EqualCheck result;
    if (Error err =
            check.expectObject({"check", "extent", "what", "to", "reason"}))
      return err;
    if (Error err = parseDimension(check, result.extent))
      return err;
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = parseExtent(check, "to", result.expected))
      return err;
    if (check.has("reason"))
      if (Error err = check.string("reason", result.reason))
        return err;
    if (result.reason.empty() && !result.expected.argument)
      return check.fail("expected the key 'reason' with a constant");
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseAtLeast(const JsonNode &check) {
    AtLeastCheck result;
    if (Error err = check.expectObject({"check", "extent", "what", "least"}))
      return err;
    if (Error err = parseDimension(check, result.extent))
      return err;
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = check.integer("least", 0, maxNumber, result.least))
      return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseStacked(const JsonNode &check) {
    StackedCheck result;
    if (Error err =
            check.expectObject({"check", "extent", "what", "each", "reason"}))
      return err;
    if (Error err = parseDimension(check, result.extent))
      return err;
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = parseExtent(check, "each", result.each))
      return err;
    if (Error err = check.string("reason", result.reason))
      return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseApart(const JsonNode &check) {
    ApartCheck result;
    if (Error err =
            check.expectObject({"check", "argument", "from", "or_exactly"}))
      return err;
    if (Error err =
            parseTensorIndex(check, "argument", manifest, result.argument))
      return err;
    if (Error err = parseArguments(check, "from", result.others))
      return err;
    if (check.has("or_exactly")) {
      size_t argument = 0;
      if (Error err = parseTensorIndex(check, "or_exactly", manifest, argument))
        return err;
      result.orExactly = argument;
    }
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseReadOnly(const JsonNode &check) {
    ReadOnlyCheck result;
    if (Error err = check.expectObject({"check", "arguments"}))
      return err;
    if (Error err = parseArguments(check, "arguments", result.arguments))
      return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseOffsets(const JsonNode &check) {
    OffsetsCheck result;
    if (Error err = check.expectObject(
            {"check", "argument", "into", "equally_many", "what"}))
      return err;
    if (check.has("what"))
      if (Error err = check.string("what", result.what))
        return err;
    if (Error err = parseIndexArray(check, "argument", result.argument))
      return err;
    if (Error err = parseIndexArray(check, "into", result.stored))
      return err;
    if (Error err = parseArguments(check, "equally_many", result.counted))
      return err;
    for (size_t argument : result.counted)
      if (!isOperand(argument))
        return check.fail("expected operands of the contract in "
                          "'equally_many', but got ",
                          manifest.describeArgument(argument));
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseIndices(const JsonNode &check) {
    IndicesCheck result;
    if (Error err = check.expectObject(
            {"check", "argument", "offsets", "below", "what"}))
      return err;
    if (check.has("what"))
      if (Error err = check.string("what", result.what))
        return err;
    if (Error err = parseIndexArray(check, "argument", result.argument))
      return err;
    if (Error err = parseIndexArray(check, "offsets", result.offsets))
      return err;
    if (check.has("below"))
      if (Error err = parseExtent(check, "below", result.below.emplace()))
        return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseWithin(const JsonNode &check) {
    WithinCheck result;
    if (Error err = check.expectObject({"check", "argument", "what", "most"}))
      return err;
    if (Error err = parseIndexArray(check, "argument", result.argument))
      return err;
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = parseExtent(check, "most", result.most))
      return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseListed(const JsonNode &check) {
    ListedCheck result;
    if (Error err = check.expectObject(
            {"check", "argument", "counts", "what", "below", "last_below"}))
      return err;
    if (Error err = parseIndexArray(check, "argument", result.argument))
      return err;
    if (Error err = parseIndexArray(check, "counts", result.counts))
      return err;
    int64_t rank = manifest.arguments[result.argument].rank;
    if (manifest.arguments[result.counts].rank != rank - 1)
      return check.fail("expected 'counts' to have rank ", rank - 1,
                        ", one for each list, but got ",
                        manifest.describeArgument(result.counts));
    if (Error err = check.string("what", result.what))
      return err;
    if (Error err = parseExtent(check, "below", result.below))
      return err;
    result.lastBelow = result.below;
    if (check.has("last_below"))
      if (Error err = parseExtent(check, "last_below", result.lastBelow))
        return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }

  Error parseInGrid(const JsonNode &check) {
    GridCheck result;
    if (Error err =
            check.expectObject({"check", "argument", "grid", "distinct"}))
      return err;
    if (Error err = parseIndexArray(check, "argument", result.argument))
      return err;
    if (manifest.arguments[result.argument].rank != 1)
      return check.fail("expected 'argument' to have rank 1, but got ",
                        manifest.describeArgument(result.argument));
    if (Error err = parseTensorIndex(check, "grid", manifest, result.grid))
      return err;
    if (manifest.arguments[result.grid].rank < 4)
      return check.fail("expected 'grid' to have rank 4 or more, but got ",
                        manifest.describeArgument(result.grid));
    if (check.has("distinct"))
      if (Error err = check.boolean("distinct", result.areDistinct))
        return err;
    contract.checks.push_back(std::move(result));
    return Error::success();
  }
};

} // namespace

Error sattn::runtime::parseContracts(const JsonNode &root, Manifest &manifest) {
  if (!root.has("contracts"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("contracts", items))
    return err;
  for (const JsonNode &item : items) {
    Contract contract;
    if (Error err = ContractParser(item, manifest, contract).parse())
      return err;
    manifest.contracts.push_back(std::move(contract));
  }
  return Error::success();
}
