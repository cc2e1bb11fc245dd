//===- Arguments.cpp - What Python passes, as the runtime's ---------------===//

#include "Arguments.h"

#include <tuple>

using namespace sattn;
using namespace tvm;
using runtime::DType;

/// `wanted` is the program's: bits stand for the floats that DLPack lacks.
static std::optional<DType> dtypeOf(DLDataType type, DType wanted) {
  static constexpr std::tuple<uint8_t, uint8_t, DType> known[] = {
      {kDLInt, 8, DType::I8},       {kDLInt, 32, DType::I32},
      {kDLInt, 64, DType::I64},     {kDLFloat, 16, DType::F16},
      {kDLFloat, 32, DType::F32},   {kDLFloat, 64, DType::F64},
      {kDLBfloat, 16, DType::BF16}, {kDLUInt, 16, DType::BF16}};
  if (type.lanes != 1)
    return std::nullopt;
  if (type.code == kDLUInt && type.bits == 8 &&
      (wanted == DType::F8E4M3FN || wanted == DType::F8E5M2))
    return wanted;
  for (const auto &[code, bits, dtype] : known)
    if (type.code == code && type.bits == bits)
      return dtype;
  return std::nullopt;
}

/// "uint8", "complex64x2"; DLPack's number of a kind that has no name here. It
/// throws for none: an exception may be in flight.
static std::string name(DLDataType type) {
  static constexpr std::pair<uint8_t, const char *> kinds[] = {
      {kDLInt, "int"},       {kDLUInt, "uint"},       {kDLFloat, "float"},
      {kDLBfloat, "bfloat"}, {kDLComplex, "complex"}, {kDLBool, "bool"}};
  std::string kind = "DLPack's type " + std::to_string(type.code) + " of bits ";
  for (const auto &[code, known] : kinds)
    if (type.code == code)
      kind = known;
  kind += std::to_string(type.bits);
  return type.lanes == 1 ? kind : kind + "x" + std::to_string(type.lanes);
}

static std::string name(DLDevice device) {
  if (device.device_type == kDLCPU)
    return "the CPU";
  if (device.device_type == kDLCUDA)
    return "CUDA device " + std::to_string(device.device_id);
  return "a device of DLPack's type " + std::to_string(device.device_type);
}

/// Whether the program can use memory of `actual`; the host has one device.
static bool isOn(DLDevice actual, DLDevice wanted) {
  return actual.device_type == wanted.device_type &&
         (wanted.device_type == kDLCPU || actual.device_id == wanted.device_id);
}

static void read(const runtime::Manifest &manifest, size_t i,
                 const DLTensor &tensor, std::optional<DLDevice> device,
                 runtime::TensorView &view) {
  if (device && !isOn(tensor.device, *device))
    TVM_FFI_THROW(ValueError)
        << manifest.describeArgument(i) << ": expected memory of "
        << name(*device) << ", but got memory of " << name(tensor.device);
  std::optional<DType> dtype =
      dtypeOf(tensor.dtype, manifest.arguments[i].type);
  if (!dtype)
    TVM_FFI_THROW(ValueError) << manifest.describeArgument(i)
                              << ": expected a supported element type, but got "
                              << name(tensor.dtype);
  view.data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  view.dtype = *dtype;
  view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides)
    view.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  else
    view.strides = runtime::rowMajorStrides(view.shape);
}

const std::vector<runtime::Argument> &
python::readArguments(const runtime::Manifest &manifest, ffi::PackedArgs packed,
                      std::optional<DLDevice> device) {
  size_t count = manifest.arguments.size();
  if (size_t(packed.size()) != count)
    TVM_FFI_THROW(TypeError)
        << "program '" << manifest.name << "': expected " << count
        << " arguments, but got " << packed.size();
  static thread_local std::vector<runtime::Argument> arguments;
  arguments.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const ffi::AnyView &given = packed[int(i)];
    if (!manifest.arguments[i].isTensor) {
      auto number = given.try_cast<double>();
      if (!number)
        TVM_FFI_THROW(TypeError)
            << manifest.describeArgument(i) << ": expected a number, but got "
            << given.GetTypeKey();
      arguments[i] = *number;
      continue;
    }
    auto tensor = given.try_cast<DLTensor *>();
    if (!tensor)
      TVM_FFI_THROW(TypeError)
          << manifest.describeArgument(i) << ": expected a tensor, but got "
          << given.GetTypeKey();
    auto *view = std::get_if<runtime::TensorView>(&arguments[i]);
    if (!view)
      view = &arguments[i].emplace<runtime::TensorView>();
    read(manifest, i, **tensor, device, *view);
  }
  return arguments;
}
