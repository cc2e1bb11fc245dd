//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//

#ifndef SATTN_TOOLS_SPARSE_RUN_NPYHEADER_H
#define SATTN_TOOLS_SPARSE_RUN_NPYHEADER_H

#include "sattn/Runtime/Tensor.h"

#include <string>

namespace sattn::runtime {

struct NpyHeader {
  DType dtype = DType::F32;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  /// Product of the extents times the element's width; known to fit.
  int64_t byteSize = 0;
};

/// Parses the dictionary that follows a header's length. The errors do not
/// name the file.
ErrorOr<NpyHeader> parseNpyHeader(std::string_view text);

/// NumPy's name of the type: "<f4".
const char *npyDescr(DType dtype);

} // namespace sattn::runtime

#endif // SATTN_TOOLS_SPARSE_RUN_NPYHEADER_H
