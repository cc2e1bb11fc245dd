//===- ManifestEvaluate.cpp - The values and checks of a manifest ---------===//

#include "sattn/Runtime/Contract.h"
#include "sattn/Runtime/TensorMap.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>
#include <charconv>
#include <limits>

using namespace sattn::runtime;

namespace {

enum class Outcome { Ok, Overflow, DivisionByZero };

/// Rounds towards negative infinity, or towards positive infinity.
Outcome divide(int64_t a, int64_t b, bool up, int64_t &result) {
  if (b == 0)
    return Outcome::DivisionByZero;
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return Outcome::Overflow;
  result = a / b;
  bool inexact = a % b != 0;
  bool negative = (a < 0) != (b < 0);
  if (inexact && up && !negative)
    ++result;
  if (inexact && !up && negative)
    --result;
  return Outcome::Ok;
}

/// a - b * floor(a / b), which has the divisor's sign.
Outcome modulo(int64_t a, int64_t b, int64_t &result) {
  if (b == 0)
    return Outcome::DivisionByZero;
  // The quotient of the least number by -1 overflows; the remainder is 0.
  result = b == -1 ? 0 : a % b;
  if (result != 0 && (result < 0) != (b < 0))
    result += b;
  return Outcome::Ok;
}

Outcome checked(bool overflow) {
  return overflow ? Outcome::Overflow : Outcome::Ok;
}

Outcome compute(ValueOp op, int64_t a, int64_t b, int64_t &result) {
  switch (op) {
  case ValueOp::Add:
    return checked(__builtin_add_overflow(a, b, &result));
  case ValueOp::Sub:
    return checked(__builtin_sub_overflow(a, b, &result));
  case ValueOp::Mul:
    return checked(__builtin_mul_overflow(a, b, &result));
  case ValueOp::CeilDiv:
    return divide(a, b, /*up=*/true, result);
  case ValueOp::FloorDiv:
    return divide(a, b, /*up=*/false, result);
  case ValueOp::Mod:
    return modulo(a, b, result);
  case ValueOp::Min:
    result = std::min(a, b);
    break;
  case ValueOp::Max:
    result = std::max(a, b);
    break;
  case ValueOp::Eq:
    result = a == b;
    break;
  case ValueOp::Ne:
    result = a != b;
    break;
  case ValueOp::Lt:
    result = a < b;
    break;
  case ValueOp::Le:
    result = a <= b;
    break;
  case ValueOp::Gt:
    result = a > b;
    break;
  case ValueOp::Ge:
    result = a >= b;
    break;
  case ValueOp::And:
    result = a & b;
    break;
  case ValueOp::Or:
    result = a | b;
    break;
  case ValueOp::Constant:
  case ValueOp::Dim:
  case ValueOp::Stride:
  case ValueOp::TmaCompatible:
  case ValueOp::SmCount:
  case ValueOp::Select:
    assert(false && "not a binary operation");
    break;
  }
  return Outcome::Ok;
}

/// The number of a Dim, Stride or TmaCompatible value.
ErrorOr<int64_t> readTensor(const Manifest &manifest, const ValueExpr &value,
                            const std::vector<Argument> &arguments) {
  const TensorView *tensor =
      value.argument < arguments.size()
          ? std::get_if<TensorView>(&arguments[value.argument])
          : nullptr;
  if (!tensor)
    return makeError(manifest.describeArgument(value.argument),
                     ": expected a tensor, but got none");
  if (value.op == ValueOp::TmaCompatible)
    return int64_t(isTMACompatible(*tensor));
  const std::vector<int64_t> &numbers =
      value.op == ValueOp::Dim ? tensor->shape : tensor->strides;
  if (uint64_t(value.number) >= numbers.size())
    return makeError(
        manifest.describeArgument(value.argument), ": expected rank ",
        manifest.arguments[value.argument].rank, ", but got ", numbers.size());
  return numbers[value.number];
}

ErrorOr<int64_t> evaluateOne(const Manifest &manifest, const ValueExpr &value,
                             const std::vector<Argument> &arguments,
                             const std::vector<int64_t> &values,
                             int64_t smCount) {
  switch (value.op) {
  case ValueOp::Constant:
    return value.number;
  case ValueOp::SmCount:
    return smCount;
  case ValueOp::Dim:
  case ValueOp::Stride:
  case ValueOp::TmaCompatible:
    return readTensor(manifest, value, arguments);
  case ValueOp::Select:
    return values[value.operands[0]] ? values[value.operands[1]]
                                     : values[value.operands[2]];
  default:
    break;
  }
  int64_t a = values[value.operands[0]], b = values[value.operands[1]];
  int64_t result = 0;
  switch (compute(value.op, a, b, result)) {
  case Outcome::Ok:
    return result;
  case Outcome::Overflow:
    return makeError("values[", values.size(),
                     "]: the result does not fit in 64 bits, from ", a, " and ",
                     b);
  case Outcome::DivisionByZero:
    return makeError("values[", values.size(), "]: division of ", a,
                     " by zero");
  }
  return makeError("unreachable");
}

} // namespace

ErrorOr<std::vector<int64_t>>
sattn::runtime::evaluate(const Manifest &manifest,
                         const std::vector<Argument> &arguments,
                         int64_t smCount) {
  std::vector<int64_t> values;
  values.reserve(manifest.values.size());
  for (const ValueExpr &expr : manifest.values) {
    ErrorOr<int64_t> value =
        evaluateOne(manifest, expr, arguments, values, smCount);
    if (!value)
      return makeError("program '", manifest.name,
                       "': ", value.error().message());
    values.push_back(*value);
  }
  return values;
}

/// The message with the values' numbers in the places of their positions:
/// "{3}".
static std::string fill(const std::string &message,
                        const std::vector<int64_t> &values) {
  std::string filled;
  size_t done = 0;
  for (size_t open = 0;
       (open = message.find('{', done)) != std::string::npos;) {
    size_t close = message.find_first_not_of("0123456789", open + 1);
    size_t position = values.size();
    if (close != std::string::npos && message[close] == '}')
      std::from_chars(&message[open + 1], &message[close], position);
    filled.append(message, done, open - done);
    done = open;
    if (position < values.size()) {
      filled += std::to_string(values[position]);
      done = close + 1;
    } else {
      filled += message[done++];
    }
  }
  return filled.append(message, done);
}

Error sattn::runtime::runChecks(const Manifest &manifest,
                                const std::vector<int64_t> &values) {
  for (const ValueCheck &check : manifest.checks)
    if (values[check.value] == 0)
      return Error(fill(check.message, values));
  return Error::success();
}

Error sattn::runtime::checkCall(const Manifest &manifest,
                                const std::vector<Argument> &arguments,
                                ContentCheck contents, int64_t smCount) {
  if (Error err = checkContracts(manifest, arguments, contents))
    return err;
  if (manifest.checks.empty())
    return Error::success();
  ErrorOr<std::vector<int64_t>> values = evaluate(manifest, arguments, smCount);
  return values ? runChecks(manifest, *values) : values.takeError();
}
