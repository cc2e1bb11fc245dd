//===- ManifestParseSteps.cpp - Manifests: contracts and launches ---------===//

#include "ManifestParser.h"
#include "sattn/Runtime/TensorMap.h"

using namespace sattn::runtime;

namespace {

/// The hardware's limits of threads in a block and of memory for one.
constexpr int64_t maxThreads = 1024;
constexpr int64_t maxShared = std::numeric_limits<int32_t>::max();

Error parseScalarSource(const JsonNode &contract, const char *key,
                        const Manifest &manifest, ScalarSource &source) {
  ErrorOr<JsonNode> node = contract.member(key);
  if (!node)
    return node.takeError();
  if (Error err = node->expectObject({"argument", "constant"}))
    return err;
  if (node->has("argument") == node->has("constant"))
    return node->fail("expected either 'argument' or 'constant'");
  if (node->has("constant"))
    return node->number("constant", source.constant);
  size_t index = 0;
  if (Error err = parseScalarIndex(*node, "argument", manifest, index))
    return err;
  source.argument = index;
  return Error::success();
}

Error parseOptionalTensor(const JsonNode &contract, const char *key,
                          const Manifest &manifest,
                          std::optional<size_t> &out) {
  if (!contract.has(key))
    return Error::success();
  size_t index = 0;
  if (Error err = parseTensorIndex(contract, key, manifest, index))
    return err;
  out = index;
  return Error::success();
}

bool isIndexType(DType type) {
  return type == DType::I32 || type == DType::I64;
}
bool isFloatType(DType type) {
  return type == DType::F16 || type == DType::BF16 || type == DType::F32;
}

constexpr const char *anIndex = "of i32 or i64";

/// That an argument which has a role is of the types that it may be of.
Error expectType(bool holds, const JsonNode &node, const Manifest &manifest,
                 size_t index, const char *role, const char *what) {
  if (holds)
    return Error::success();
  return node.fail("expected '", role, "' to be ", what, ", but ",
                   manifest.describeArgument(index), " is of ",
                   name(manifest.arguments[index].type));
}

/// The constraints of bsr_addmm's types, which the program's arguments declare.
Error checkContractTypes(const JsonNode &node, const Manifest &manifest,
                         const BsrAddmmContract &contract) {
  auto typeOf = [&](size_t index) { return manifest.arguments[index].type; };
  auto expect = [&](bool holds, size_t index, const char *role,
                    const char *what) {
    return expectType(holds, node, manifest, index, role, what);
  };
  DType element = typeOf(contract.values);
  constexpr const char *aFloat = "of f16, bf16 or f32";
  constexpr const char *theSame = "of the same type as 'values'";
  constexpr const char *aScale = "of f32 or the same type as 'values'";
  if (Error err = expect(isIndexType(typeOf(contract.crow)), contract.crow,
                         "crow", anIndex))
    return err;
  if (Error err = expect(isIndexType(typeOf(contract.col)), contract.col, "col",
                         anIndex))
    return err;
  if (Error err =
          expect(isFloatType(element), contract.values, "values", aFloat))
    return err;
  if (Error err =
          expect(typeOf(contract.b) == element, contract.b, "b", theSame))
    return err;
  if (contract.input)
    if (Error err = expect(typeOf(*contract.input) == element, *contract.input,
                           "input", theSame))
      return err;
  for (auto [scale, role] :
       {std::pair(contract.left, "left"), std::pair(contract.right, "right")})
    if (scale)
      if (Error err =
              expect(typeOf(*scale) == element || typeOf(*scale) == DType::F32,
                     *scale, role, aScale))
        return err;
  return expect(isFloatType(typeOf(contract.out)), contract.out, "out", aFloat);
}

/// Each tensor has its own dimensions, and no more batch dimensions than out.
Error checkContractRanks(const JsonNode &node, const Manifest &manifest,
                         const BsrAddmmContract &contract) {
  constexpr int64_t outRank = 2;
  int64_t batchRank = manifest.arguments[contract.out].rank - outRank;
  struct {
    std::optional<size_t> argument;
    const char *role;
    int64_t rank;
  } roles[] = {{contract.out, "out", outRank}, {contract.crow, "crow", 1},
               {contract.col, "col", 1},       {contract.values, "values", 3},
               {contract.b, "b", 2},           {contract.input, "input", 2},
               {contract.left, "left", 1},     {contract.right, "right", 1}};
  for (const auto &role : roles) {
    if (!role.argument)
      continue;
    int64_t rank = manifest.arguments[*role.argument].rank;
    if (rank < role.rank || rank > role.rank + batchRank)
      return node.fail("expected '", role.role, "' to have rank ", role.rank,
                       " and at most ", batchRank < 0 ? 0 : batchRank,
                       " batch dimensions, as 'out' has, but ",
                       manifest.describeArgument(*role.argument), " has rank ",
                       rank);
  }
  if (manifest.arguments[contract.out].access == Access::Read)
    return node.fail("expected 'out' to be written, but ",
                     manifest.describeArgument(contract.out), " is only read");
  return Error::success();
}

Error parseBlock(const JsonNode &node, int64_t &rows, int64_t &columns) {
  std::vector<JsonNode> block;
  if (Error err = node.array("block", block))
    return err;
  constexpr int64_t maxBlock = std::numeric_limits<int32_t>::max();
  if (block.size() != 2)
    return node.fail("expected a block of 2 extents, but got ", block.size());
  if (Error err = block[0].asInteger(1, maxBlock, rows))
    return err;
  return block[1].asInteger(1, maxBlock, columns);
}

Error parseBsrAddmm(const JsonNode &node, const Manifest &manifest,
                    BsrAddmmContract &contract) {
  if (Error err = node.expectObject({"op", "alpha", "beta", "crow", "col",
                                     "values", "b", "input", "left", "right",
                                     "out", "block", "fused"}))
    return err;
  if (Error err = parseScalarSource(node, "alpha", manifest, contract.alpha))
    return err;
  if (Error err = parseScalarSource(node, "beta", manifest, contract.beta))
    return err;
  struct {
    const char *key;
    size_t *index;
  } required[] = {{"crow", &contract.crow},
                  {"col", &contract.col},
                  {"values", &contract.values},
                  {"b", &contract.b},
                  {"out", &contract.out}};
  for (const auto &role : required)
    if (Error err = parseTensorIndex(node, role.key, manifest, *role.index))
      return err;
  if (Error err = parseOptionalTensor(node, "input", manifest, contract.input))
    return err;
  if (Error err = parseOptionalTensor(node, "left", manifest, contract.left))
    return err;
  if (Error err = parseOptionalTensor(node, "right", manifest, contract.right))
    return err;

  if (node.has("fused"))
    if (Error err = node.boolean("fused", contract.fused))
      return err;

  if (Error err = parseBlock(node, contract.blockRows, contract.blockCols))
    return err;
  if (Error err = checkContractTypes(node, manifest, contract))
    return err;
  return checkContractRanks(node, manifest, contract);
}

/// Null or absent: not known.
Error parseExtent(const JsonNode &node, const char *key,
                  const Manifest &manifest, std::optional<ExtentSource> &out) {
  if (!node.has(key))
    return Error::success();
  ErrorOr<JsonNode> extent = node.member(key);
  if (!extent)
    return extent.takeError();
  ExtentSource source;
  if (extent->has("constant")) {
    if (Error err = extent->expectObject({"constant"}))
      return err;
    if (Error err = extent->integer(
            "constant", 0, std::numeric_limits<int64_t>::max(), source.number))
      return err;
  } else {
    if (Error err = extent->expectObject({"argument", "dimension"}))
      return err;
    size_t argument = 0, dimension = 0;
    if (Error err = parseTensorIndex(*extent, "argument", manifest, argument))
      return err;
    if (Error err =
            extent->index("dimension", "dimensions",
                          size_t(manifest.arguments[argument].rank), dimension))
      return err;
    source.argument = argument;
    source.number = int64_t(dimension);
  }
  out = source;
  return Error::success();
}

Error parseBsrStorage(const JsonNode &node, const Manifest &manifest,
                      BsrStorageContract &contract) {
  if (Error err = node.expectObject({"op", "crow", "col", "values", "block",
                                     "rows", "columns", "one_list"}))
    return err;
  struct {
    const char *key;
    size_t *index;
    int64_t coreRank;
    bool isIndex;
  } roles[] = {{"crow", &contract.crow, 1, true},
               {"col", &contract.col, 1, true},
               {"values", &contract.values, 3, false}};
  for (const auto &role : roles) {
    if (Error err = parseTensorIndex(node, role.key, manifest, *role.index))
      return err;
    const ArgumentSpec &spec = manifest.arguments[*role.index];
    if (Error err = expectType(!role.isIndex || isIndexType(spec.type), node,
                               manifest, *role.index, role.key, anIndex))
      return err;
    if (spec.rank < role.coreRank)
      return node.fail("expected '", role.key, "' to have rank ", role.coreRank,
                       " or more, but ", manifest.describeArgument(*role.index),
                       " has rank ", spec.rank);
  }
  if (node.has("one_list"))
    if (Error err = node.boolean("one_list", contract.oneList))
      return err;
  if (Error err = parseExtent(node, "rows", manifest, contract.rows))
    return err;
  if (Error err = parseExtent(node, "columns", manifest, contract.columns))
    return err;
  return parseBlock(node, contract.blockRows, contract.blockCols);
}

Error parseTensorMap(const JsonNode &node, const Manifest &manifest,
                     TensorMapParameter &parameter) {
  if (Error err = node.expectObject({"argument", "box", "swizzle"}))
    return err;
  if (Error err =
          parseTensorIndex(node, "argument", manifest, parameter.argument))
    return err;
  std::vector<JsonNode> box;
  if (Error err = node.array("box", box))
    return err;
  for (const JsonNode &item : box) {
    int64_t extent = 0;
    if (Error err = item.asInteger(1, tensorMapMaxBox, extent))
      return err;
    parameter.box.push_back(extent);
  }
  if (Error err = node.integer("swizzle", 0, 128, parameter.swizzle))
    return err;
  const ArgumentSpec &spec = manifest.arguments[parameter.argument];
  if (Error err = checkTensorMapBox(spec.type, spec.rank, parameter.box,
                                    parameter.swizzle))
    return node.fail(err.message());
  return Error::success();
}

Error parseValueParameter(const JsonNode &node, const Manifest &manifest,
                          ValueParameter &parameter) {
  if (Error err = node.index("value", "values", manifest.values.size(),
                             parameter.value))
    return err;
  if (Error err = node.type("type", parameter.type))
    return err;
  if (!isIndexType(parameter.type))
    return node.fail("expected a value of type i32 or i64, but got ",
                     name(parameter.type));
  return Error::success();
}

Error parseParameter(const JsonNode &node, const Manifest &manifest,
                     LaunchStep &step) {
  if (Error err = node.expectObject(
          {"memref", "value", "type", "scalar", "tensor_map", "scratch"}))
    return err;
  if (node.has("memref") + node.has("value") + node.has("scalar") +
              node.has("tensor_map") + node.has("scratch") !=
          1 ||
      node.has("value") != node.has("type"))
    return node.fail("expected one of 'memref', 'value' with 'type', 'scalar', "
                     "'tensor_map' and 'scratch'");
  if (node.has("memref")) {
    MemrefParameter parameter;
    if (Error err =
            parseTensorIndex(node, "memref", manifest, parameter.argument))
      return err;
    step.parameters.push_back(parameter);
  } else if (node.has("value")) {
    ValueParameter parameter;
    if (Error err = parseValueParameter(node, manifest, parameter))
      return err;
    step.parameters.push_back(parameter);
  } else if (node.has("scalar")) {
    ScalarParameter parameter;
    if (Error err =
            parseScalarIndex(node, "scalar", manifest, parameter.argument))
      return err;
    step.parameters.push_back(parameter);
  } else if (node.has("scratch")) {
    ScratchParameter parameter;
    if (Error err = node.index("scratch", "scratch arrays",
                               manifest.scratch.size(), parameter.scratch))
      return err;
    step.parameters.push_back(parameter);
  } else {
    TensorMapParameter parameter;
    ErrorOr<JsonNode> map = node.member("tensor_map");
    if (!map)
      return map.takeError();
    if (Error err = parseTensorMap(*map, manifest, parameter))
      return err;
    step.parameters.push_back(parameter);
  }
  return Error::success();
}

/// What a step that may run ahead of the others can be given.
Error checkPrepareStep(const JsonNode &node, const Manifest &manifest,
                       const LaunchStep &step) {
  if (step.when)
    return node.fail("expected no 'when' of a step with 'prepare'");
  std::set<size_t> indices = manifest.indexArguments();
  for (size_t i = 0; i < step.parameters.size(); ++i) {
    const KernelParameter &parameter = step.parameters[i];
    const auto *memref = std::get_if<MemrefParameter>(&parameter);
    bool isIndex = memref && indices.count(memref->argument);
    if (!isIndex && !std::holds_alternative<ScratchParameter>(parameter) &&
        !std::holds_alternative<ValueParameter>(parameter))
      return node.fail("expected a step with 'prepare' to have index arrays of "
                       "a contract, scratch arrays and values alone, but "
                       "parameter ",
                       i, " is another");
  }
  return Error::success();
}

/// What says why a step is as it is.
Error parseExplanation(const JsonNode &node, LaunchStep &step) {
  for (auto [key, text] :
       {std::pair("version", &step.version), std::pair("reason", &step.reason)})
    if (node.has(key))
      if (Error err = node.string(key, *text))
        return err;
  if (!node.has("tuning"))
    return Error::success();
  ErrorOr<JsonNode> tuning = node.member("tuning");
  if (!tuning)
    return tuning.takeError();
  if (Error err = tuning->expectObject({"parameters", "origin"}))
    return err;
  if (Error err = tuning->string("parameters", step.tuning))
    return err;
  return tuning->string("origin", step.origin);
}

Error parseStep(const JsonNode &node, const Manifest &manifest,
                LaunchStep &step) {
  if (Error err =
          node.expectObject({"launch", "when", "prepare", "version", "reason",
                             "tuning", "grid", "block", "shared", "arguments"}))
    return err;
  if (Error err = parseExplanation(node, step))
    return err;
  if (Error err = node.string("launch", step.kernel))
    return err;
  size_t valueCount = manifest.values.size();
  if (node.has("when")) {
    size_t when = 0;
    if (Error err = node.index("when", "values", valueCount, when))
      return err;
    step.when = when;
  }
  std::vector<JsonNode> grid;
  if (Error err = node.array("grid", grid))
    return err;
  if (grid.size() != step.grid.size())
    return node.fail("expected a grid of 3 values, but got ", grid.size());
  for (size_t i = 0; i < grid.size(); ++i)
    if (Error err = grid[i].asIndex("values", valueCount, step.grid[i]))
      return err;
  if (Error err = node.integer("block", 1, maxThreads, step.block))
    return err;
  if (Error err = node.integer("shared", 0, maxShared, step.shared))
    return err;

  std::vector<JsonNode> parameters;
  if (Error err = node.array("arguments", parameters))
    return err;
  for (const JsonNode &parameter : parameters)
    if (Error err = parseParameter(parameter, manifest, step))
      return err;
  if (!node.has("prepare"))
    return Error::success();
  if (Error err = node.boolean("prepare", step.prepare))
    return err;
  return step.prepare ? checkPrepareStep(node, manifest, step)
                      : Error::success();
}

} // namespace

Error sattn::runtime::parseContracts(const JsonNode &root, Manifest &manifest) {
  if (!root.has("contracts"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("contracts", items))
    return err;
  for (const JsonNode &item : items) {
    std::string op;
    if (Error err = item.string("op", op))
      return err;
    if (op == "bsr_addmm") {
      BsrAddmmContract contract;
      if (Error err = parseBsrAddmm(item, manifest, contract))
        return err;
      manifest.contracts.push_back(contract);
    } else if (op == "bsr_storage") {
      BsrStorageContract contract;
      if (Error err = parseBsrStorage(item, manifest, contract))
        return err;
      manifest.storages.push_back(contract);
    } else {
      return item.fail("unknown op '", op, "'");
    }
  }
  return Error::success();
}

Error sattn::runtime::parseSteps(const JsonNode &root, Manifest &manifest) {
  if (!root.has("steps"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("steps", items))
    return err;
  for (const JsonNode &item : items) {
    LaunchStep step;
    if (Error err = parseStep(item, manifest, step))
      return err;
    manifest.steps.push_back(std::move(step));
  }
  return Error::success();
}
