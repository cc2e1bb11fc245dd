//===- Explain.cpp - What a call of a program would do --------------------===//

#include "sattn/Runtime/Explain.h"

#include "sattn/Runtime/Contract.h"
#include "sattn/Runtime/TensorMap.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>

using namespace sattn::runtime;

/// Bytes that TMA and 16-byte copies move at once.
static constexpr int64_t alignment = 16;

namespace {

/// Finds the reasons why conditions of the manifest do not hold.
class ReasonFinder {
public:
  ReasonFinder(const Manifest &manifest, const std::vector<Argument> &arguments,
               const std::vector<int64_t> &values)
      : manifest(manifest), arguments(arguments), values(values) {}

  /// The part of a true condition that says that another one is false.
  std::vector<std::string> find(size_t value) {
    findIn(value);
    return std::move(reasons);
  }

private:
  const Manifest &manifest;
  const std::vector<Argument> &arguments;
  const std::vector<int64_t> &values;
  std::vector<std::string> reasons;

  void add(std::string reason) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(std::move(reason));
  }

  /// Finds the conditions of a branch, which is taken under `condition == 0` or
  /// under several conditions.
  void findIn(size_t value) {
    const ValueExpr &expr = manifest.values[value];
    if (expr.op == ValueOp::And) {
      for (size_t operand : expr.operands)
        findIn(operand);
      return;
    }
    if (expr.op != ValueOp::Eq)
      return;
    const ValueExpr &other = manifest.values[expr.operands[1]];
    if (other.op == ValueOp::Constant && other.number == 0)
      explainFalse(expr.operands[0]);
  }

  void explainFalse(size_t value) {
    const ValueExpr &expr = manifest.values[value];
    if (expr.op == ValueOp::And) {
      for (size_t operand : expr.operands)
        if (values[operand] == 0)
          explainFalse(operand);
      return;
    }
    if (expr.op == ValueOp::TmaCompatible)
      return explainNotTMACompatible(expr.argument);
    // A tensor that TMA takes, or one of which a copy is small enough.
    if (expr.op == ValueOp::Or &&
        manifest.values[expr.operands[1]].op == ValueOp::Le) {
      explainFalse(expr.operands[0]);
      return explainTooLarge(expr.operands[1]);
    }
    // A specialization's other requirements are extents of whole chunks,
    // strides of 1, or rows that follow one another.
    if (const ValueExpr *stride = findLeaf(value, ValueOp::Stride))
      return explainStride(stride->argument);
    const ValueExpr *extent = findLeaf(value, ValueOp::Dim);
    if (!extent)
      return;
    if (expr.op == ValueOp::Le)
      return explainExtent(*extent, values[expr.operands[1]]);
    explainChunks(*extent);
  }

  /// The first entry of a kind that a value is computed from, or null.
  const ValueExpr *findLeaf(size_t value, ValueOp op) {
    const ValueExpr &expr = manifest.values[value];
    if (expr.op == op)
      return &expr;
    for (size_t operand : expr.operands)
      if (const ValueExpr *found = findLeaf(operand, op))
        return found;
    return nullptr;
  }

  const TensorView &tensorOf(size_t argument) {
    return std::get<TensorView>(arguments[argument]);
  }
  std::string nameOf(size_t argument) {
    return "`" + manifest.arguments[argument].name + "`";
  }

  void explainTooLarge(size_t value) {
    const ValueExpr &expr = manifest.values[value];
    if (const ValueExpr *extent = findLeaf(value, ValueOp::Dim))
      add(concat("a copy of ", nameOf(extent->argument),
                 " that TMA takes would have more than ",
                 values[expr.operands[1]] *
                     byteWidth(tensorOf(extent->argument).dtype),
                 " bytes"));
  }

  void explainStride(size_t argument) {
    const TensorView &tensor = tensorOf(argument);
    if (tensor.rank() > 1 && tensor.strides.back() == 1)
      return add(concat(nameOf(argument), " has rows ",
                        tensor.strides[size_t(tensor.rank()) - 2],
                        " elements apart; TMA takes blocks whose rows of ",
                        tensor.shape.back(), " elements follow one another"));
    add(concat(nameOf(argument), " has elements ", tensor.strides.back(),
               " apart in its rows; vectors of them need a stride of 1"));
  }

  /// Explains an extent; `extent` may be one of scratch memory.
  void explainExtent(const ValueExpr &extent, int64_t most) {
    add(concat(nameOf(extent.argument), " has an extent of ",
               tensorOf(extent.argument).shape[size_t(extent.number)],
               "; TMA takes memory of at most ", most));
  }

  void explainChunks(const ValueExpr &extent) {
    size_t argument = extent.argument;
    const TensorView &tensor = tensorOf(argument);
    if (int64_t dim = extent.number; dim + 1 != tensor.rank())
      return add(concat(nameOf(argument), " has ",
                        tensor.shape[size_t(extent.number)],
                        " elements along dimension ", dim,
                        ", of which memory of the program's own has rows; TMA "
                        "takes a multiple of ",
                        alignment, " bytes"));
    add(concat(nameOf(argument), " has rows of ", tensor.shape.back(),
               " elements, ", tensor.shape.back() * byteWidth(tensor.dtype),
               " bytes; TMA stores a multiple of ", alignment));
  }

  void explainNotTMACompatible(size_t argument) {
    const TensorView &tensor = tensorOf(argument);
    std::string name = nameOf(argument);
    size_t rank = tensor.shape.size();
    if (int64_t past = reinterpret_cast<uintptr_t>(tensor.data) % alignment)
      return add(concat(name, " begins ", past, " bytes past a multiple of ",
                        alignment, "; TMA needs a multiple"));
    if (tensor.shape.back() > 1 && tensor.strides.back() != 1)
      return add(concat(name, " has elements ", tensor.strides.back(),
                        " apart in its rows; TMA needs a stride of 1"));
    for (size_t dim = rank - 1; dim-- > 0;) {
      // In 64 bits it may not fit; the remainder does.
      int64_t width = byteWidth(tensor.dtype), stride = tensor.strides[dim];
      if (tensor.shape[dim] <= 1 ||
          (stride >= 0 && stride % alignment * width % alignment == 0))
        continue;
      std::string what = dim + 2 == rank ? " has rows of "
                                         : concat(" has, along dimension ", dim,
                                                  ", steps of ");
      return add(stride < 0
                     ? concat(name, what, stride,
                              " elements; TMA needs a "
                              "positive stride")
                     : concat(name, what, stride * width,
                              " bytes; TMA needs a multiple of ", alignment));
    }
    ErrorOr<TensorMapFields> fields = describeTensorMap(
        name, tensor, std::vector<int64_t>(rank, 1), /*swizzle=*/0);
    add(fields ? concat(name, " is no tensor of a TMA descriptor")
               : fields.error().message());
  }
};

} // namespace

Error sattn::runtime::findMissing(const Manifest &manifest,
                                  const std::vector<Argument> &arguments,
                                  const std::vector<int64_t> &values) {
  for (const MissingVersion &version : manifest.missing) {
    if (values[version.when] == 0)
      continue;
    std::string found;
    for (const std::string &reason :
         ReasonFinder(manifest, arguments, values).find(version.when))
      found += (found.empty() ? "" : "; ") + reason;
    return makeError("program '", manifest.name,
                     "': expected arguments that TMA takes, since it was "
                     "compiled without kernel '",
                     version.kernel, "', but ", found);
  }
  return Error::success();
}

ErrorOr<std::vector<KernelChoice>>
sattn::runtime::explainCall(const Manifest &manifest,
                            const std::vector<Argument> &arguments,
                            int64_t smCount) {
  if (Error err = checkContracts(manifest, arguments, ContentCheck::Off))
    return err;
  ErrorOr<std::vector<int64_t>> values = evaluate(manifest, arguments, smCount);
  if (!values)
    return values.takeError();
  if (Error err = runChecks(manifest, *values))
    return err;
  std::vector<KernelChoice> choices;
  auto addMissing = [&](size_t before) {
    for (const MissingVersion &version : manifest.missing)
      if (version.before.value_or(manifest.steps.size()) == before &&
          (*values)[version.when] != 0)
        choices.push_back(
            {version.kernel, version.version, /*preprocess=*/false,
             version.tuning, version.origin,
             ReasonFinder(manifest, arguments, *values).find(version.when)});
  };
  for (const LaunchStep &step : manifest.steps) {
    addMissing(&step - manifest.steps.data());
    bool isEmpty =
        std::any_of(step.grid.begin(), step.grid.end(),
                    [&](size_t blocks) { return (*values)[blocks] == 0; });
    if (isEmpty || (step.when && (*values)[*step.when] == 0))
      continue;
    KernelChoice choice{step.kernel, step.version, step.preprocess,
                        step.tuning, step.origin,  {}};
    if (!step.reason.empty())
      choice.reasons.push_back(step.reason);
    else if (step.when && step.version != "aligned")
      choice.reasons =
          ReasonFinder(manifest, arguments, *values).find(*step.when);
    choices.push_back(std::move(choice));
  }
  addMissing(manifest.steps.size());
  return choices;
}
