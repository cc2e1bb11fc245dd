//===- LoadImage.h - From an image to a module of the driver ----*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H
#define SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H

#include "sattn/Runtime/Device.h"
#include "sattn/Runtime/KeptCode.h"

namespace sattn::runtime {

/// Loads PTX or a cubin into the device's context, which is current. `program`
/// is its name in errors. Code that `keep` has and that the driver refuses is
/// not used. `keep` may be empty.
ErrorOr<CUmodule> loadImage(const Device &device, std::string_view program,
                            std::string_view image, const KeepCodeFn &keep);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H
