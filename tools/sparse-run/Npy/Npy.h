//===- Npy.h - Arrays in NumPy's .npy files ---------------------*- C++ -*-===//
//
// The format: numpy.lib.format, versions 1.0, 2.0 and 3.0. Little-endian f2,
// f4, f8, i1, i4, i8; two-byte void (|V2, and <V2, as NumPy spells
// ml_dtypes.bfloat16) is bf16, which .npy has no name for, and one-byte void is
// f8E4M3FN; f8E5M2 is '<f1' there.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSE_RUN_NPY_H
#define SATTN_TOOLS_SPARSE_RUN_NPY_H

#include "sattn/Runtime/Tensor.h"

#include <cstddef>
#include <memory>
#include <string>

namespace sattn::runtime {

/// An array that owns its memory, which is aligned to 64 bytes. Dense: row
/// major, or column major where the file said fortran_order.
class NpyArray {
public:
  /// Uninitialized memory for `bytes` bytes; an error where there is none.
  static ErrorOr<NpyArray> allocate(DType dtype, std::vector<int64_t> shape,
                                    std::vector<int64_t> strides,
                                    int64_t bytes);

  DType dtype() const { return array.dtype; }
  const std::vector<int64_t> &shape() const { return array.shape; }
  int64_t byteSize() const { return bytes; }

  /// The array's memory; valid as long as this object, through moves.
  const TensorView &view() const { return array; }

private:
  struct Release {
    void operator()(std::byte *memory) const;
  };

  NpyArray() = default;

  std::unique_ptr<std::byte[], Release> memory;
  int64_t bytes = 0;
  TensorView array;
};

/// The largest array that `readNpy` takes by default, in bytes.
constexpr int64_t npyDefaultLimit = int64_t(1) << 40;

/// Reads a whole file. Errors name the file: missing or unreadable, not .npy,
/// truncated or malformed header, big-endian, object, structured or otherwise
/// unsupported dtype, a shape whose size overflows or passes `maxBytes`, data
/// shorter or longer than the shape needs, no memory.
ErrorOr<NpyArray> readNpy(const std::string &path,
                          int64_t maxBytes = npyDefaultLimit);

/// Writes the view's elements in row-major order, format 1.0 (2.0 where the
/// header needs it), bf16 as |V2. The bytes go to a temporary file beside
/// `path`, which is then renamed, so that `path` holds the old contents or the
/// new, never a part. `path` must be absent or a regular file.
Error writeNpy(const std::string &path, const TensorView &view);

/// Says whether `writeNpy` would find a place for the file, before there is
/// anything to write.
Error checkNpyPath(const std::string &path);

} // namespace sattn::runtime

#endif // SATTN_TOOLS_SPARSE_RUN_NPY_H
