//===- LoadImage.h - From an image to a module of the driver ----*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H
#define SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H

#include "sattn/Runtime/Device.h"

namespace sattn::runtime {

/// Loads PTX or a cubin into the device's context, which is current. `program`
/// is its name in errors. `code` is the image's machine code or empty; where
/// the driver refuses it the image is loaded.
ErrorOr<CUmodule> loadImage(const Device &device, std::string_view program,
                            std::string_view image, std::string_view code);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_LOADIMAGE_H
