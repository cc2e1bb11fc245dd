//===- ManifestParse.cpp - Manifests: the root, arguments, values ---------===//

#include "ManifestParser.h"

using namespace sattn::runtime;

namespace {

constexpr int64_t supportedVersion = 3;
constexpr int64_t maxRank = 64;

struct OpName {
  const char *name;
  ValueOp op;
  size_t operands;
};

constexpr OpName opNames[] = {
    {"constant", ValueOp::Constant, 0},
    {"dim", ValueOp::Dim, 0},
    {"stride", ValueOp::Stride, 0},
    {"tma_compatible", ValueOp::TmaCompatible, 0},
    {"sm_count", ValueOp::SmCount, 0},
    {"add", ValueOp::Add, 2},
    {"sub", ValueOp::Sub, 2},
    {"mul", ValueOp::Mul, 2},
    {"ceildiv", ValueOp::CeilDiv, 2},
    {"floordiv", ValueOp::FloorDiv, 2},
    {"mod", ValueOp::Mod, 2},
    {"min", ValueOp::Min, 2},
    {"max", ValueOp::Max, 2},
    {"eq", ValueOp::Eq, 2},
    {"ne", ValueOp::Ne, 2},
    {"lt", ValueOp::Lt, 2},
    {"le", ValueOp::Le, 2},
    {"gt", ValueOp::Gt, 2},
    {"ge", ValueOp::Ge, 2},
    {"and", ValueOp::And, 2},
    {"or", ValueOp::Or, 2},
    {"select", ValueOp::Select, 3},
};

Error parseAccess(const JsonNode &node, Access &access) {
  std::string text;
  if (Error err = node.string("access", text))
    return err;
  if (text == "read")
    access = Access::Read;
  else if (text == "write")
    access = Access::Write;
  else if (text == "read_write")
    access = Access::ReadWrite;
  else
    return node.fail("expected access 'read', 'write' or 'read_write', but "
                     "got '",
                     text, "'");
  return Error::success();
}

Error parseTensor(const JsonNode &node, ArgumentSpec &spec) {
  if (Error err =
          node.expectObject({"kind", "element", "rank", "name", "access"}))
    return err;
  spec.isTensor = true;
  if (Error err = node.type("element", spec.type))
    return err;
  if (Error err = node.integer("rank", 0, maxRank, spec.rank))
    return err;
  if (Error err = node.string("name", spec.name))
    return err;
  return parseAccess(node, spec.access);
}

Error parseScalar(const JsonNode &node, ArgumentSpec &spec) {
  if (Error err = node.expectObject({"kind", "type", "name"}))
    return err;
  if (Error err = node.type("type", spec.type))
    return err;
  if (spec.type != DType::F32 && spec.type != DType::F64)
    return node.fail("expected a scalar of type f32 or f64, but got ",
                     name(spec.type));
  return node.has("name") ? node.string("name", spec.name) : Error::success();
}

Error parseValue(const JsonNode &node, const Manifest &manifest,
                 ValueExpr &value) {
  if (Error err =
          node.expectObject({"op", "value", "argument", "index", "operands"}))
    return err;
  std::string text;
  if (Error err = node.string("op", text))
    return err;
  const OpName *found = nullptr;
  for (const OpName &entry : opNames)
    if (text == entry.name)
      found = &entry;
  if (!found)
    return node.fail("unknown op '", text, "'");
  value.op = found->op;

  if (value.op == ValueOp::Constant) {
    if (Error err = node.expectObject({"op", "value"}))
      return err;
    return node.integer("value", std::numeric_limits<int64_t>::min(),
                        std::numeric_limits<int64_t>::max(), value.number);
  }
  if (value.op == ValueOp::SmCount)
    return node.expectObject({"op"});
  if (value.op == ValueOp::TmaCompatible) {
    if (Error err = node.expectObject({"op", "argument"}))
      return err;
    return parseTensorIndex(node, "argument", manifest, value.argument);
  }
  if (value.op == ValueOp::Dim || value.op == ValueOp::Stride) {
    if (Error err = node.expectObject({"op", "argument", "index"}))
      return err;
    if (Error err =
            parseTensorIndex(node, "argument", manifest, value.argument))
      return err;
    size_t dim = 0;
    if (Error err = node.index("index", "dimensions",
                               manifest.arguments[value.argument].rank, dim))
      return err;
    value.number = int64_t(dim);
    return Error::success();
  }

  if (Error err = node.expectObject({"op", "operands"}))
    return err;
  std::vector<JsonNode> operands;
  if (Error err = node.array("operands", operands))
    return err;
  if (operands.size() != found->operands)
    return node.fail("expected ", found->operands, " operands, but got ",
                     operands.size());
  for (const JsonNode &operand : operands) {
    size_t index = 0;
    if (Error err =
            operand.asIndex("earlier values", manifest.values.size(), index))
      return err;
    value.operands.push_back(index);
  }
  return Error::success();
}

Error parseRoot(const JsonNode &root, Manifest &manifest) {
  if (Error err = root.expectObject({"version", "name", "target", "arguments",
                                     "contracts", "values", "checks", "scratch",
                                     "steps", "missing"}))
    return err;
  if (Error err = root.string("name", manifest.name))
    return err;
  if (Error err = root.string("target", manifest.target))
    return err;
  if (manifest.target != "cpu" && !parseGpuTarget(manifest.target))
    return root.fail("expected target 'cpu' or one like 'sm_90a', but got '",
                     manifest.target, "'");
  if (Error err = parseArguments(root, manifest))
    return err;
  if (Error err = parseContracts(root, manifest))
    return err;
  if (Error err = parseValues(root, manifest))
    return err;
  if (Error err = parseChecks(root, manifest))
    return err;
  if (Error err = parseScratch(root, manifest))
    return err;
  if (Error err = parseSteps(root, manifest))
    return err;
  return parseMissing(root, manifest);
}

} // namespace

Error sattn::runtime::parseTensorIndex(const JsonNode &node, const char *key,
                                       const Manifest &manifest, size_t &out) {
  if (Error err = node.index(key, "arguments", manifest.arguments.size(), out))
    return err;
  if (!manifest.arguments[out].isTensor)
    return node.fail("expected '", key, "' to be a tensor, but got scalar ",
                     manifest.describeArgument(out));
  return Error::success();
}

Error sattn::runtime::parseScalarIndex(const JsonNode &node, const char *key,
                                       const Manifest &manifest, size_t &out) {
  if (Error err = node.index(key, "arguments", manifest.arguments.size(), out))
    return err;
  if (manifest.arguments[out].isTensor)
    return node.fail("expected '", key, "' to be a scalar, but got tensor ",
                     manifest.describeArgument(out));
  return Error::success();
}

Error sattn::runtime::parseArguments(const JsonNode &root, Manifest &manifest) {
  std::vector<JsonNode> items;
  if (Error err = root.array("arguments", items))
    return err;
  for (const JsonNode &item : items) {
    if (Error err = item.expectObject(
            {"kind", "type", "element", "rank", "name", "access"}))
      return err;
    std::string kind;
    if (Error err = item.string("kind", kind))
      return err;
    ArgumentSpec spec;
    if (kind != "tensor" && kind != "scalar")
      return item.fail("expected kind 'tensor' or 'scalar', but got '", kind,
                       "'");
    if (Error err = kind == "tensor" ? parseTensor(item, spec)
                                     : parseScalar(item, spec))
      return err;
    manifest.arguments.push_back(std::move(spec));
  }
  return Error::success();
}

Error sattn::runtime::parseValues(const JsonNode &root, Manifest &manifest) {
  if (!root.has("values"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("values", items))
    return err;
  for (const JsonNode &item : items) {
    ValueExpr value;
    if (Error err = parseValue(item, manifest, value))
      return err;
    manifest.values.push_back(std::move(value));
  }
  return Error::success();
}

Error sattn::runtime::parseChecks(const JsonNode &root, Manifest &manifest) {
  if (!root.has("checks"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("checks", items))
    return err;
  for (const JsonNode &item : items) {
    ValueCheck check;
    if (Error err = item.expectObject({"value", "message"}))
      return err;
    if (Error err =
            item.index("value", "values", manifest.values.size(), check.value))
      return err;
    if (Error err = item.string("message", check.message))
      return err;
    manifest.checks.push_back(std::move(check));
  }
  return Error::success();
}

static Error parseValueList(const JsonNode &node, const char *key,
                            const Manifest &manifest,
                            std::vector<size_t> &values) {
  std::vector<JsonNode> items;
  if (Error err = node.array(key, items))
    return err;
  for (const JsonNode &item : items)
    if (Error err = item.asIndex("values", manifest.values.size(),
                                 values.emplace_back()))
      return err;
  return Error::success();
}

Error sattn::runtime::parseScratch(const JsonNode &root, Manifest &manifest) {
  if (!root.has("scratch"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("scratch", items))
    return err;
  for (const JsonNode &item : items) {
    ScratchSpec spec;
    if (Error err = item.expectObject(
            {"element", "sizes", "strides", "zero", "left_zero"}))
      return err;
    if (Error err = item.type("element", spec.type))
      return err;
    if (Error err = parseValueList(item, "sizes", manifest, spec.sizes))
      return err;
    if (item.has("strides"))
      if (Error err = parseValueList(item, "strides", manifest, spec.strides))
        return err;
    if (!spec.strides.empty() && spec.strides.size() != spec.sizes.size())
      return item.fail("expected a stride for each of the ", spec.sizes.size(),
                       " sizes, but got ", spec.strides.size());
    if (item.has("zero"))
      if (Error err = item.boolean("zero", spec.zero))
        return err;
    if (item.has("left_zero"))
      if (Error err = item.boolean("left_zero", spec.leftZero))
        return err;
    if (spec.leftZero && !spec.zero)
      return item.fail("expected 'zero' with 'left_zero'");
    manifest.scratch.push_back(std::move(spec));
  }
  return Error::success();
}

ErrorOr<Manifest> sattn::runtime::parseManifest(std::string_view text) {
  nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr,
                                              /*allow_exceptions=*/false);
  if (json.is_discarded())
    return makeError("manifest: expected JSON, but the text is malformed");
  JsonNode root(json, "root");
  if (!json.is_object())
    return root.fail("expected an object");
  // The version first: another one may have other keys.
  int64_t version = 0;
  if (Error err = root.integer("version", 0,
                               std::numeric_limits<int64_t>::max(), version))
    return err;
  if (version != supportedVersion)
    return root.fail("expected version ", supportedVersion, ", but got ",
                     version);
  Manifest manifest;
  if (Error err = parseRoot(root, manifest))
    return err;
  return manifest;
}

std::set<size_t> Manifest::indexArguments() const {
  std::set<size_t> indices;
  for (const Contract &contract : contracts)
    for (const ContractCheck &check : contract.checks) {
      if (const auto *offsets = std::get_if<OffsetsCheck>(&check))
        indices.insert(offsets->argument);
      else if (const auto *places = std::get_if<IndicesCheck>(&check))
        indices.insert(places->argument);
      else if (const auto *within = std::get_if<WithinCheck>(&check))
        indices.insert(within->argument);
      else if (const auto *listed = std::get_if<ListedCheck>(&check))
        indices.insert({listed->argument, listed->counts});
      else if (const auto *grid = std::get_if<GridCheck>(&check))
        indices.insert(grid->argument);
    }
  return indices;
}

const ContractOperand *Contract::find(std::string_view name) const {
  for (const ContractOperand &operand : operands)
    if (operand.name == name)
      return &operand;
  return nullptr;
}

std::string Manifest::describeArgument(size_t index) const {
  if (index < arguments.size() && !arguments[index].name.empty())
    return "argument '" + arguments[index].name + "'";
  return "argument " + std::to_string(index);
}

std::optional<GpuTarget>
sattn::runtime::parseGpuTarget(std::string_view target) {
  constexpr std::string_view prefix = "sm_";
  if (target.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  target.remove_prefix(prefix.size());
  GpuTarget result;
  if (!target.empty() && (target.back() == 'a' || target.back() == 'f')) {
    result.suffix = target.back();
    target.remove_suffix(1);
  }
  // The last digit is the minor version: sm_90 is 9.0, sm_100 is 10.0.
  if (target.size() < 2 || target.size() > 3)
    return std::nullopt;
  int number = 0;
  for (char digit : target) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  result.major = number / 10;
  result.minor = number % 10;
  return result;
}
