//===- Manifest.h - The host side of a compiled program ---------*- C++ -*-===//
//
// A manifest is the JSON text that the compiler writes beside the image of a
// program: what the arguments are, what must hold of them, and which kernels
// are launched with what. docs/Manifest.md describes the format, version 3.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_MANIFEST_H
#define SATTN_RUNTIME_MANIFEST_H

#include "sattn/Runtime/Tensor.h"

#include <array>
#include <optional>
#include <set>
#include <string>

namespace sattn::runtime {

enum class Access { Read, Write, ReadWrite };

/// One argument of the program.
struct ArgumentSpec {
  bool isTensor = false;
  /// The element type of a tensor; F32 or F64 of a scalar.
  DType type = DType::F32;
  int64_t rank = 0;
  /// The name in diagnostics. Scalars may have none.
  std::string name;
  Access access = Access::Read;
};

/// An operand of an op: an argument, or a factor that was known when the
/// program was compiled.
struct ContractOperand {
  std::string name;
  std::optional<size_t> argument;
  double constant = 0;
  /// A tensor's rank without its batch dimensions; nothing for a scalar.
  std::optional<size_t> coreRank;
};

/// A number that is known when the program is called: from the extent of an
/// argument's dimension, or a constant.
struct ExtentSource {
  std::optional<size_t> argument;
  /// The dimension of the argument; without an argument, the number.
  int64_t number = 0;
  /// The divisor of the extent, rounding down or up, and a number that is added
  /// to the quotient.
  int64_t divisor = 1, plus = 0;
  bool isRoundedUp = false;
};

/// The check that an extent is a multiple of `factor`.
struct MultipleCheck {
  ExtentSource extent;
  /// The dimension's name ("M"), and the factor in words.
  std::string what, reason;
  int64_t factor = 1;
};

/// The check that an extent is another number.
struct EqualCheck {
  ExtentSource extent, expected;
  std::string what;
  /// Why, in words; empty: as in the other argument.
  std::string reason;
};

/// The check that an extent is at least so large.
struct AtLeastCheck {
  ExtentSource extent;
  int64_t least = 0;
  std::string what;
};

/// The check that an extent is 1 plus `each` for each batch, whatever the
/// number of batches is.
struct StackedCheck {
  ExtentSource extent, each;
  std::string what, reason;
};

/// The check that an argument does not overlap itself, nor any of the others,
/// except one that it may be exactly. Ranges of bytes are compared, so
/// interleaved arrays count as overlapping.
struct ApartCheck {
  size_t argument = 0;
  std::vector<size_t> others;
  std::optional<size_t> orExactly;
};

/// The check that arguments overlap nothing that the program writes.
struct ReadOnlyCheck {
  std::vector<size_t> arguments;
};

/// The check that rows of offsets lie within [0, length of `stored`] and do not
/// decrease.
struct OffsetsCheck {
  size_t argument = 0, stored = 0;
  /// Arguments that have equally many entries in each batch, unless all batches
  /// share them.
  std::vector<size_t> counted;
  /// The name of the `stored` entries, for messages.
  std::string what = "stored blocks";
};

/// Indices that rows of offsets refer to lie within [0, `below`), or are not
/// negative if `below` is unknown.
struct IndicesCheck {
  size_t argument = 0, offsets = 0;
  std::optional<ExtentSource> below;
  std::string what = "block columns";
};

/// Numbers lie within [0, `most`].
struct WithinCheck {
  size_t argument = 0;
  ExtentSource most;
  std::string what;
};

/// The check of lists, the rows of `argument`'s last dimension; `counts` has a
/// number for each list. A number is at most the list's length, and that many
/// entries from its start lie within [0, `below`), the last of them within [0,
/// `lastBelow`). Dimensions are equal or 1.
struct ListedCheck {
  size_t argument = 0, counts = 0;
  ExtentSource below, lastBelow;
  /// The things that the entries are indices of ("blocks of keys"), for
  /// messages.
  std::string what;
};

/// Numbers are offsets of matrices in a grid, the tensor's last four dimensions
/// (G, H, R, N), as one row-major matrix of G * R rows and H * N columns.
struct GridCheck {
  size_t argument = 0, grid = 0;
  /// Whether no two are equal.
  bool areDistinct = false;
};

using ContractCheck =
    std::variant<MultipleCheck, EqualCheck, AtLeastCheck, StackedCheck,
                 ApartCheck, ReadOnlyCheck, OffsetsCheck, IndicesCheck,
                 WithinCheck, ListedCheck, GridCheck>;

/// The conditions on the arguments that are operands of one op (Contract.h).
struct Contract {
  std::string op;
  std::vector<ContractOperand> operands;
  /// The operand to whose batch dimensions those of the others broadcast;
  /// without one, they broadcast to each other's.
  std::optional<size_t> batches;
  std::vector<ContractCheck> checks;
  /// Whether other ops are fused with it: the written operand is their result,
  /// of the same shape.
  bool fused = false;

  /// The operand of this name, or null.
  const ContractOperand *find(std::string_view name) const;
};

enum class ValueOp {
  Constant,
  Dim,
  Stride,
  TmaCompatible,
  SmCount,
  Add,
  Sub,
  Mul,
  CeilDiv,
  FloorDiv,
  Mod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Select
};

/// One 64-bit integer computed before a launch. Operands are earlier values.
struct ValueExpr {
  ValueOp op = ValueOp::Constant;
  /// Constant: the number. Dim, Stride: the dimension.
  int64_t number = 0;
  /// Dim, Stride, TmaCompatible: the tensor argument.
  size_t argument = 0;
  std::vector<size_t> operands;
};

/// The check that a value is not 0; else `message` is the error.
struct ValueCheck {
  size_t value = 0;
  std::string message;
};

/// A scratch array that stands for a tensor argument if a value is not 0.
struct Replacement {
  size_t when = 0, scratch = 0;
};

/// MLIR's memref descriptor of a tensor argument, as separate parameters:
/// pointer, aligned pointer, offset 0, sizes, strides; the numbers i64.
struct MemrefParameter {
  size_t argument = 0;
  std::optional<Replacement> replaced;
};

/// A value, as i32 or i64.
struct ValueParameter {
  size_t value = 0;
  DType type = DType::I64;
};

/// A scalar argument, of its type.
struct ScalarParameter {
  size_t argument = 0;
};

/// A tensor map (128 bytes, by value) over a whole tensor argument, or over the
/// scratch array if there is one.
struct TensorMapParameter {
  size_t argument = 0;
  std::optional<size_t> scratch;
  std::optional<Replacement> replaced;
  /// Elements in each dimension, outermost first.
  std::vector<int64_t> box;
  /// The span of the swizzle: 0 (none), 32, 64 or 128 bytes.
  int64_t swizzle = 0;
  /// Whether rows of the box hold as much of the matrix's rows, which follow
  /// one another, as they can.
  bool packed = false;
};

/// MLIR's memref descriptor of a scratch array, as MemrefParameter.
struct ScratchParameter {
  size_t scratch = 0;
};

using KernelParameter =
    std::variant<MemrefParameter, ValueParameter, ScalarParameter,
                 TensorMapParameter, ScratchParameter>;

/// An array in device memory for the time of a call.
struct ScratchSpec {
  DType type = DType::I32;
  /// Values: the extents.
  std::vector<size_t> sizes;
  /// Values: the strides in elements; empty: dense and row-major.
  std::vector<size_t> strides;
  /// Zero before the launches of a call.
  bool zero = false;
  /// And after them, since they leave it as they found it.
  bool leftZero = false;
};

/// One kernel launch.
struct LaunchStep {
  std::string kernel;
  /// Launched if this value is not 0; always, if absent.
  std::optional<size_t> when;
  /// Values: the number of CTAs in x, y and z.
  std::array<size_t, 3> grid = {};
  /// Threads of one CTA.
  int64_t block = 0;
  /// Bytes of dynamic shared memory.
  int64_t shared = 0;
  /// Reads only the index arrays of a contract and results of other such steps,
  /// so that its results may be kept over calls (Program::prepare).
  bool preprocess = false;
  /// Whether its results may be kept even when the contents of the index arrays
  /// change, since the program's results do not depend on them
  /// (Program::prepareHints).
  bool hint = false;
  /// Whether the kernel waits by itself for the work before it in its stream,
  /// and may start before that has ended.
  bool programmatic = false;
  /// Whether the kernel reads index arrays before it waits: it starts early
  /// only where nobody writes to them, as to those of a prepared operand.
  bool readsIndicesEarly = false;
  /// Texts for `explainCall` (Explain.h): the specialization of the kernel, the
  /// reason for it if known at compile time, and the parameters of its tiles
  /// and their origin. Each may be empty.
  std::string version, reason, tuning, origin;
  std::vector<KernelParameter> parameters;
};

/// A specialization of a kernel that the image does not hold.
struct MissingVersion {
  std::string kernel;
  /// A value: a call needs it if this is not 0.
  size_t when = 0;
  /// The number of steps before it, if known.
  std::optional<size_t> before;
  /// Texts as of a LaunchStep.
  std::string version = "generic", tuning, origin;
};

struct Manifest {
  std::string name;
  /// "cpu", or a GPU: "sm_90a".
  std::string target;
  std::vector<ArgumentSpec> arguments;
  std::vector<Contract> contracts;
  std::vector<ValueExpr> values;
  std::vector<ValueCheck> checks;
  std::vector<ScratchSpec> scratch;
  std::vector<LaunchStep> steps;
  std::vector<MissingVersion> missing;

  /// How diagnostics name an argument: "argument 'b'", or "argument 0".
  std::string describeArgument(size_t index) const;

  /// The arrays of which contracts check contents.
  std::set<size_t> indexArguments() const;
};

/// A target such as sm_90a: capability 9.0, and whether it is of that
/// capability alone (a) or of its family (f).
struct GpuTarget {
  int major = 0, minor = 0;
  char suffix = 0;
};

/// The architecture that a target names; nothing for "cpu" and for anything
/// that is not a GPU's name.
std::optional<GpuTarget> parseGpuTarget(std::string_view target);

/// Parses and validates the whole text: afterwards every index is in range,
/// operands point backwards, and arguments are of the kind, rank and type that
/// their use needs. Errors begin with "manifest: " and say where.
ErrorOr<Manifest> parseManifest(std::string_view json);

/// The manifest's values for these arguments on a device with so many SMs. All
/// are computed, used or not; overflow, division by zero and arguments that
/// differ from the manifest's declarations are errors.
ErrorOr<std::vector<int64_t>> evaluate(const Manifest &manifest,
                                       const std::vector<Argument> &arguments,
                                       int64_t smCount = 1);

/// Runs the checks; the error is the message of the first one that does not
/// hold.
Error runChecks(const Manifest &manifest, const std::vector<int64_t> &values);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_MANIFEST_H
