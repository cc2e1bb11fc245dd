//===- Op.h - Ops of sattn by name ------------------------------*- C++ -*-===//
//
// The facts of an op that a tool needs to run a program that consists of it. An
// op is in the list by its name in lib/Reference/CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_OP_H
#define SATTN_REFERENCE_OP_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sattn::reference {

/// An operand in host memory, by its name in the op's definition.
struct NamedOperand {
  std::string name;
  /// How messages begin: "argument 'b'".
  std::string who;
  runtime::Argument value;
};

/// The operands that an op has been given. Attributes without a value, such as
/// `transpose_b`, are operands of the value 1 where they are set.
class NamedOperands : public std::vector<NamedOperand> {
public:
  using std::vector<NamedOperand>::vector;

  /// The operand of this name; null where it is missing.
  const NamedOperand *find(std::string_view name) const;
  /// The tensor of this name; null if it is missing or a scalar.
  const runtime::TensorView *findTensor(std::string_view name) const;
  /// Adds the attributes of these names.
  void addAttributes(const std::vector<std::string> &names);

  /// Functions of the op: of a score and of (b, h, i, j), a batch, a head, a
  /// query and a key; null where it has none, or nobody gave them.
  std::function<double(double, int64_t, int64_t, int64_t, int64_t)> scoreMod;
  std::function<bool(int64_t, int64_t, int64_t, int64_t)> maskMod;

  /// Derivatives of scoreMod for ops that are gradients: of a score and the
  /// cotangent of scoreMod's result, then (b, h, i, j), the cotangent of the
  /// score, and that of the captured number that the op is the gradient of.
  /// Null where nobody gave them.
  std::function<double(double, double, int64_t, int64_t, int64_t, int64_t)>
      scoreCotangent, numberCotangent;
};

/// The result of an op for certain operands.
struct Description {
  /// The description for people: "512x256 @ 256x64, block 16x16, ...".
  std::string text;
  /// The description for programs: names and values, in order.
  std::vector<std::pair<
      std::string, std::variant<int64_t, std::string, std::vector<int64_t>>>>
      members;
  /// Operations on elements, of which additions and multiplications count one
  /// each; 0 where they are not counted.
  double operations = 0;
  /// The problem that parameters are chosen for: M, N and K, and the fraction
  /// of blocks that are not stored.
  std::array<int64_t, 3> sizes = {};
  double sparsity = -1;
};

/// The values that an op writes to one operand.
struct Result {
  const char *operand;
  /// The elements in row-major order.
  std::vector<double> elements;
};

/// One op.
struct Op {
  const char *name;
  /// The operand that the first result is written to.
  const char *result;
  /// The definition in double precision, of operands that meet the contract:
  /// the first result, then the others that there are operands for.
  runtime::ErrorOr<std::vector<Result>> (*compute)(const NamedOperands &);
  /// The first result's shape without batch dimensions. An error where it does
  /// not follow from the other operands; its message is empty, or says which of
  /// them is wrong.
  runtime::ErrorOr<std::vector<int64_t>> (*inferShape)(const NamedOperands &);
  /// Describes operands that meet the contract.
  Description (*describe)(const NamedOperands &);
};

/// The op of this name, or null.
const Op *findOp(std::string_view name);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_OP_H
