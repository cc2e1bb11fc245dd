//===- Manifest.h - The host side of a compiled program ---------*- C++ -*-===//
//
// A manifest is the JSON text that the compiler writes beside the image of a
// program: what the arguments are, what must hold of them, and which kernels
// are launched with what. docs/Manifest.md describes the format, version 1.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_MANIFEST_H
#define SATTN_RUNTIME_MANIFEST_H

#include "sattn/Runtime/Tensor.h"

#include <array>
#include <set>
#include <string>

namespace sattn::runtime {

enum class Access { Read, Write, ReadWrite };

/// What the program takes as one argument.
struct ArgumentSpec {
  bool isTensor = false;
  /// The element type of a tensor; F32 for a scalar.
  DType type = DType::F32;
  int64_t rank = 0;
  /// The name in diagnostics. Scalars may have none.
  std::string name;
  Access access = Access::Read;
};

/// A factor that is an argument, or known when the program was compiled.
struct ScalarSource {
  std::optional<size_t> argument;
  double constant = 0;
};

/// Which argument plays which role of a `sattn.bsr_addmm`; its constraints
/// must hold of the arguments (Contract.h).
struct BsrAddmmContract {
  ScalarSource alpha, beta;
  size_t crow = 0, col = 0, values = 0, b = 0, out = 0;
  std::optional<size_t> input, left, right;
  int64_t blockRows = 0, blockCols = 0;
  /// Other ops are computed with it: out is their result, of the same shape.
  bool fused = false;
};

/// A number that is known when the program is called: the extent of an
/// argument's dimension, or a constant.
struct ExtentSource {
  std::optional<size_t> argument;
  /// Of the argument: which dimension. Else the extent.
  int64_t number = 0;
};

/// Which arguments are the storage of a block-sparse matrix whose product has
/// operands that the program computes. Its constraints must hold of the
/// arguments (Contract.h).
struct BsrStorageContract {
  size_t crow = 0, col = 0, values = 0;
  int64_t blockRows = 0, blockCols = 0;
  /// Of the matrix, M and K; absent where they are computed.
  std::optional<ExtentSource> rows, columns;
  /// crow has one dimension, the offsets of all batches one after the other:
  /// where one ends the next begins.
  bool oneList = false;
};

enum class ValueOp {
  Constant,
  Dim,
  Stride,
  Mappable,
  Multiprocessors,
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
  /// Dim, Stride, Mappable: the tensor argument.
  size_t argument = 0;
  std::vector<size_t> operands;
};

/// The value must not be 0, or `message` is the error.
struct ValueCheck {
  size_t value = 0;
  std::string message;
};

/// MLIR's memref descriptor of a tensor argument, as separate parameters:
/// pointer, aligned pointer, offset 0, sizes, strides; the numbers i64.
struct MemrefParameter {
  size_t argument = 0;
};

/// A value, as i32 or i64.
struct ValueParameter {
  size_t value = 0;
  DType type = DType::I64;
};

/// A scalar argument, as f32.
struct ScalarParameter {
  size_t argument = 0;
};

/// A tensor map (128 bytes, by value) over a whole tensor argument.
struct TensorMapParameter {
  size_t argument = 0;
  /// Elements in each dimension, outermost first.
  std::vector<int64_t> box;
  /// 0 (none), 32, 64 or 128 bytes.
  int64_t swizzle = 0;
};

/// MLIR's memref descriptor of a scratch array, as MemrefParameter.
struct ScratchParameter {
  size_t scratch = 0;
};

using KernelParameter =
    std::variant<MemrefParameter, ValueParameter, ScalarParameter,
                 TensorMapParameter, ScratchParameter>;

/// A dense row-major array in device memory for the time of a call.
struct ScratchSpec {
  DType type = DType::I32;
  /// Values: the extents.
  std::vector<size_t> sizes;
  /// Set to zero before the launches of a call.
  bool zero = false;
};

/// One kernel launch.
struct LaunchStep {
  std::string kernel;
  /// Launched where this value is not 0; always, if absent.
  std::optional<size_t> when;
  /// Values: the number of thread blocks in x, y and z.
  std::array<size_t, 3> grid = {};
  /// Threads of one thread block.
  int64_t block = 0;
  /// Bytes of dynamic shared memory.
  int64_t shared = 0;
  /// Reads nothing but the index arrays of a contract and what such steps have
  /// written: its results may be kept over calls (Program::prepare).
  bool prepare = false;
  /// For `explainCall` (Explain.h): which of the kernel's versions it is, why
  /// where that is known when it is compiled, and the parameters of its tiles
  /// and where they came from. Each may be empty.
  std::string version, reason, tuning, origin;
  std::vector<KernelParameter> parameters;
};

struct Manifest {
  std::string name;
  /// "cpu", or a GPU: "sm_90a".
  std::string target;
  std::vector<ArgumentSpec> arguments;
  std::vector<BsrAddmmContract> contracts;
  std::vector<BsrStorageContract> storages;
  std::vector<ValueExpr> values;
  std::vector<ValueCheck> checks;
  std::vector<ScratchSpec> scratch;
  std::vector<LaunchStep> steps;

  /// How diagnostics name an argument: "argument 'b'", or "argument 0".
  std::string describeArgument(size_t index) const;

  /// The index arrays of all sparse operands.
  std::set<size_t> indexArguments() const;
};

/// A target such as sm_90a: capability 9.0, and whether it is of that
/// capability alone (a) or of its family (f).
struct GpuTarget {
  int major = 0, minor = 0;
  char suffix = 0;
};

/// Nothing for "cpu" and for anything that is not a GPU's name.
std::optional<GpuTarget> parseGpuTarget(std::string_view target);

/// Parses and validates the whole text: afterwards every index is in range,
/// operands point backwards, and arguments are of the kind, rank and type that
/// their use needs. Errors begin with "manifest: " and say where.
ErrorOr<Manifest> parseManifest(std::string_view json);

/// The manifest's values for these arguments on a device of so many
/// multiprocessors. All are computed, used or not; overflow, division by zero
/// and arguments that are not what the manifest declares are errors.
ErrorOr<std::vector<int64_t>> evaluate(const Manifest &manifest,
                                       const std::vector<Argument> &arguments,
                                       int64_t multiprocessors = 1);

/// The message of the first check that does not hold.
Error runChecks(const Manifest &manifest, const std::vector<int64_t> &values);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_MANIFEST_H
