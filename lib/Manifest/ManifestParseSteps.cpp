//===- ManifestParseSteps.cpp - Manifests: launches -----------------------===//

#include "ManifestParser.h"
#include "sattn/Runtime/TensorMap.h"

using namespace sattn::runtime;

namespace {

/// The hardware's limits of threads in a block and of memory for one.
constexpr int64_t maxThreads = 1024;
constexpr int64_t maxShared = std::numeric_limits<int32_t>::max();

Error parseReplacement(const JsonNode &node, const Manifest &manifest,
                       size_t argument, std::optional<Replacement> &replaced) {
  if (!node.has("replaced"))
    return Error::success();
  ErrorOr<JsonNode> entry = node.member("replaced");
  if (!entry)
    return entry.takeError();
  if (Error err = entry->expectObject({"when", "scratch"}))
    return err;
  replaced.emplace();
  if (Error err = entry->index("when", "values", manifest.values.size(),
                               replaced->when))
    return err;
  if (Error err = entry->index("scratch", "scratch arrays",
                               manifest.scratch.size(), replaced->scratch))
    return err;
  const ArgumentSpec &spec = manifest.arguments[argument];
  const ScratchSpec &scratch = manifest.scratch[replaced->scratch];
  if (scratch.type != spec.type || scratch.sizes.size() != size_t(spec.rank))
    return entry->fail("expected a scratch array of ", name(spec.type),
                       " and rank ", spec.rank, ", as ",
                       manifest.describeArgument(argument), ", but got ",
                       name(scratch.type), " and rank ", scratch.sizes.size());
  return Error::success();
}

Error parseTensorMap(const JsonNode &node, const Manifest &manifest,
                     TensorMapParameter &parameter) {
  if (Error err = node.expectObject(
          {"argument", "scratch", "replaced", "box", "swizzle", "packed"}))
    return err;
  if (node.has("argument") == node.has("scratch") ||
      (node.has("replaced") && !node.has("argument")))
    return node.fail("expected one of 'argument', which may have 'replaced', "
                     "and 'scratch'");
  DType element = {};
  int64_t rank = 0;
  if (node.has("scratch")) {
    parameter.scratch.emplace();
    if (Error err = node.index("scratch", "scratch arrays",
                               manifest.scratch.size(), *parameter.scratch))
      return err;
    const ScratchSpec &spec = manifest.scratch[*parameter.scratch];
    element = spec.type;
    rank = int64_t(spec.sizes.size());
  } else {
    if (Error err =
            parseTensorIndex(node, "argument", manifest, parameter.argument))
      return err;
    if (Error err = parseReplacement(node, manifest, parameter.argument,
                                     parameter.replaced))
      return err;
    const ArgumentSpec &spec = manifest.arguments[parameter.argument];
    element = spec.type;
    rank = spec.rank;
  }
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
  if (node.has("packed"))
    if (Error err = node.boolean("packed", parameter.packed))
      return err;
  if (Error err =
          checkTensorMapBox(element, rank, parameter.box, parameter.swizzle))
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
  if (parameter.type != DType::I32 && parameter.type != DType::I64)
    return node.fail("expected a value of type i32 or i64, but got ",
                     name(parameter.type));
  return Error::success();
}

Error parseParameter(const JsonNode &node, const Manifest &manifest,
                     LaunchStep &step) {
  if (Error err = node.expectObject({"memref", "replaced", "value", "type",
                                     "scalar", "tensor_map", "scratch"}))
    return err;
  if (node.has("memref") + node.has("value") + node.has("scalar") +
              node.has("tensor_map") + node.has("scratch") !=
          1 ||
      node.has("value") != node.has("type") ||
      (node.has("replaced") && !node.has("memref")))
    return node.fail("expected one of 'memref', which may have 'replaced', "
                     "'value' with 'type', 'scalar', 'tensor_map' and "
                     "'scratch'");
  if (node.has("memref")) {
    MemrefParameter parameter;
    if (Error err =
            parseTensorIndex(node, "memref", manifest, parameter.argument))
      return err;
    if (Error err = parseReplacement(node, manifest, parameter.argument,
                                     parameter.replaced))
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

/// Checks that a hint can run without the other steps before it.
Error checkHint(const JsonNode &node, const Manifest &manifest,
                const LaunchStep &step) {
  std::set<size_t> scratch;
  for (const LaunchStep &before : manifest.steps)
    for (const KernelParameter &parameter : before.parameters)
      if (const auto *array = std::get_if<ScratchParameter>(&parameter))
        if (!before.hint)
          scratch.insert(array->scratch);
  for (const KernelParameter &parameter : step.parameters)
    if (const auto *array = std::get_if<ScratchParameter>(&parameter))
      if (scratch.count(array->scratch))
        return node.fail(
            "expected a step with 'hint' to share no scratch array "
            "with steps without it before, but they have array ",
            array->scratch);
  return Error::success();
}

/// Checks that a step that runs ahead of the others has only parameters that it
/// may have.
Error checkPreprocessStep(const JsonNode &node, const Manifest &manifest,
                          const LaunchStep &step) {
  if (step.when)
    return node.fail("expected no 'when' of a step with 'preprocess'");
  std::set<size_t> indices = manifest.indexArguments();
  for (size_t i = 0; i < step.parameters.size(); ++i) {
    const KernelParameter &parameter = step.parameters[i];
    const auto *memref = std::get_if<MemrefParameter>(&parameter);
    bool isIndex =
        memref && !memref->replaced && indices.count(memref->argument);
    if (!isIndex && !std::holds_alternative<ScratchParameter>(parameter) &&
        !std::holds_alternative<ValueParameter>(parameter))
      return node.fail(
          "expected a step with 'preprocess' to have index arrays of "
          "a contract, scratch arrays and values alone, but "
          "parameter ",
          i, " is another");
  }
  return Error::success();
}

Error parseTuning(const JsonNode &node, std::string &parameters,
                  std::string &origin) {
  if (!node.has("tuning"))
    return Error::success();
  ErrorOr<JsonNode> tuning = node.member("tuning");
  if (!tuning)
    return tuning.takeError();
  if (Error err = tuning->expectObject({"parameters", "origin"}))
    return err;
  if (Error err = tuning->string("parameters", parameters))
    return err;
  return tuning->string("origin", origin);
}

/// The keys that explain a step.
Error parseExplanation(const JsonNode &node, LaunchStep &step) {
  for (auto [key, text] :
       {std::pair("version", &step.version), std::pair("reason", &step.reason)})
    if (node.has(key))
      if (Error err = node.string(key, *text))
        return err;
  return parseTuning(node, step.tuning, step.origin);
}

Error parseMissingVersion(const JsonNode &node, const Manifest &manifest,
                          MissingVersion &version) {
  if (Error err =
          node.expectObject({"kernel", "when", "before", "version", "tuning"}))
    return err;
  if (Error err = node.string("kernel", version.kernel))
    return err;
  if (node.has("version"))
    if (Error err = node.string("version", version.version))
      return err;
  if (node.has("before")) {
    size_t before = 0;
    if (Error err = node.index("before", "places among steps",
                               manifest.steps.size() + 1, before))
      return err;
    version.before = before;
  }
  if (Error err =
          node.index("when", "values", manifest.values.size(), version.when))
    return err;
  return parseTuning(node, version.tuning, version.origin);
}

Error parseStep(const JsonNode &node, const Manifest &manifest,
                LaunchStep &step) {
  if (Error err = node.expectObject({"launch", "when", "preprocess", "hint",
                                     "version", "reason", "tuning", "grid",
                                     "block", "shared", "programmatic",
                                     "reads_indices_early", "arguments"}))
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
  if (node.has("programmatic"))
    if (Error err = node.boolean("programmatic", step.programmatic))
      return err;
  if (node.has("reads_indices_early"))
    if (Error err = node.boolean("reads_indices_early", step.readsIndicesEarly))
      return err;
  if (node.has("preprocess"))
    if (Error err = node.boolean("preprocess", step.preprocess))
      return err;
  if (node.has("hint"))
    if (Error err = node.boolean("hint", step.hint))
      return err;
  if (step.hint && !step.preprocess)
    return node.fail("expected 'preprocess' with 'hint'");
  if (step.hint)
    if (Error err = checkHint(node, manifest, step))
      return err;
  return step.preprocess ? checkPreprocessStep(node, manifest, step)
                         : Error::success();
}

} // namespace

Error sattn::runtime::parseMissing(const JsonNode &root, Manifest &manifest) {
  if (!root.has("missing"))
    return Error::success();
  std::vector<JsonNode> items;
  if (Error err = root.array("missing", items))
    return err;
  for (const JsonNode &item : items)
    if (Error err = parseMissingVersion(item, manifest,
                                        manifest.missing.emplace_back()))
      return err;
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
