//===- Devices.h - The devices of a process ---------------------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_DEVICES_H
#define SATTN_PYTHON_BINDING_DEVICES_H

#include "sattn/Runtime/Device.h"

namespace sattn::python {

/// The device of an ordinal, opened at the first call and never closed: Python
/// may destroy programs after every static object. Errors: those of
/// Device::open, each call anew.
runtime::ErrorOr<const runtime::Device *> deviceOf(int ordinal);

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_DEVICES_H
