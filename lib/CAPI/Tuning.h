//===- Tuning.h - What the choices of all ops share -------------*- C++ -*-===//

#ifndef SATTN_LIB_CAPI_TUNING_H
#define SATTN_LIB_CAPI_TUNING_H

#include "sattn-c/Tuning.h"
#include "sattn/Tuning/Parameters.h"

struct sattn_tables {
  std::vector<sattn::meta::Table> tables;
};

namespace sattn::capi {

/// A size of a header's struct, where a negative one is not known.
inline std::optional<int64_t> known(int64_t size) {
  return size < 0 ? std::nullopt : std::optional(size);
}

/// Calls `choose` with the caller's values, and returns the choice or the
/// reason for its failure.
/// A size, by its name in the header, and the least that it may be.
struct Size {
  llvm::StringRef name;
  int64_t value, least = 1;
};
/// Says which size is too small; empty if none is.
std::string checkSizes(llvm::ArrayRef<Size> sizes);

/// `check` says what is wrong with the op, before anything is chosen; empty if
/// nothing is.
int chooseParameters(const sattn_tables *tables, const sattn_search *search,
                     sattn_parameters *parameters, char **messages,
                     llvm::function_ref<std::string()> check,
                     llvm::function_ref<llvm::Expected<tuning::Choice>(
                         llvm::ArrayRef<meta::Table>, const tuning::Search &)>
                         choose);

} // namespace sattn::capi

#endif // SATTN_LIB_CAPI_TUNING_H
