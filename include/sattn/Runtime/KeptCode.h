//===- KeptCode.h - Code that the driver makes of PTX -----------*- C++ -*-===//
//
// The CUDA driver compiles PTX in every process anew, unless it finds the code
// in a cache of its own, which a user may have turned off, or which may lie in
// a folder that does not outlive the process. A caller that keeps files can
// keep the code instead.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_KEPTCODE_H
#define SATTN_RUNTIME_KEPTCODE_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sattn::runtime {

/// Compiles PTX to a cubin for a device, or fails without a reason.
using LinkFn = std::function<std::optional<std::string>()>;

/// Returns the cubin that was kept for the PTX and the compiler (a text that
/// names the driver's build and the device's compute capability), or that
/// `link` makes, which is then kept. Nothing where nothing can be kept: the
/// driver then loads the PTX itself.
using KeepCodeFn = std::function<std::optional<std::string>(
    std::string_view ptx, std::string_view compiler, const LinkFn &link)>;

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_KEPTCODE_H
