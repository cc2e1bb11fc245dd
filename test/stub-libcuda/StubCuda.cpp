//===- StubCuda.cpp - A CUDA driver for machines without one --------------===//
//
// Has the functions of libcuda.so.1 that the runtime uses. Device memory is
// host memory; kernels are found in PTX and launching one only records it.
// Environment variables, read at each call, choose what it does:
//
//   STUB_CUDA_FAIL     CALL:RESULT, separated by commas; "cuInit:100"
//   STUB_CUDA_DEVICES  number of devices (1)
//   STUB_CUDA_CC       compute capability (9.0)
//   STUB_CUDA_THREADS  threads that a block of any kernel can have (1024)
//   STUB_CUDA_SHARED   bytes of shared memory that a block can have (232448)
//   STUB_CUDA_MEMORY   the largest allocation in bytes (1 GiB)
//   STUB_CUDA_VERSION  what cuDriverGetVersion says (13000)
//   STUB_CUDA_CAPTURE  streams are being captured, if set; with "global" no
//     thread may allocate unless it has relaxed its own mode
//   STUB_CUDA_JIT_LOG  the error log of a failing cuModuleLoadDataEx
//   STUB_CUDA_LOG      a file to which calls are appended, a line each:
//     launch NAME grid X Y Z block X Y Z shared N stream P params HEX HEX ...
//     module-load BYTES / module-unload / tensor-map / shared-limit NAME BYTES
//     scratch BYTES at ADDRESS stream P / free-scratch ADDRESS stream P
//     synchronize stream P / wait stream P
//   What is of a device other than the first says so after the stream:
//   "device 1".
//
// A device has one context. What belongs to one is refused while another is
// current.
//
// A tensor map holds what cuTensorMapEncodeTiled was called with, in 64-bit
// words: address; data type, rank, swizzle, L2 promotion in a byte each; five
// extents; four strides; five extents of the box, two to a word.
//
//===----------------------------------------------------------------------===//

#include "StubModule.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

using namespace stubcuda;

#define STUB_EXPORT extern "C" __attribute__((visibility("default"))) int

// The result that STUB_CUDA_FAIL asks of a call.
#define STUB_MAY_FAIL(call)                                                    \
  if (int result = failureOf(#call))                                           \
  return result

namespace {

constexpr int success = 0, invalidValue = 1, outOfMemory = 2,
              invalidContext = 201, invalidImage = 200, invalidHandle = 400,
              notFound = 500, captureUnsupported = 900;

/// The beginning of a cubin, which the stub takes if PTX follows.
constexpr const char *cubinPrefix = "\x7f"
                                    "ELF";

struct Module {
  std::vector<Kernel> kernels;
  void *context;
};

constexpr int maxDevices = 8;
/// A device: its context, and the pools that are made on it.
struct StubDevice {
  char context, pool;
};

std::atomic<int> primaryContexts{0};
thread_local void *currentContext = nullptr;
/// The thread's CUstreamCaptureMode: 0 forbids it calls that are unsafe while a
/// stream is captured, 2 does not.
thread_local int captureMode = 0;
StubDevice devices[maxDevices];
char streamObject, eventObject;

/// The device of the current context; -1 where none is current.
int currentDevice() {
  for (int i = 0; i < maxDevices; ++i)
    if (currentContext == &devices[i].context)
      return i;
  return -1;
}

bool isPool(void *pool) {
  for (StubDevice &device : devices)
    if (pool == &device.pool)
      return true;
  return false;
}

std::string variable(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

long number(const char *name, const char *otherwise) {
  return std::strtol(variable(name, otherwise).c_str(), nullptr, 10);
}

bool isLogging() { return std::getenv("STUB_CUDA_LOG") != nullptr; }

int failureOf(const char *name) {
  // Cheap where nothing is to fail, so that a caller's time can be measured.
  if (!std::getenv("STUB_CUDA_FAIL"))
    return success;
  std::string call = name;
  std::string list = "," + variable("STUB_CUDA_FAIL", "");
  size_t at = list.find("," + call + ":");
  if (at == std::string::npos)
    return success;
  return std::atoi(list.c_str() + at + call.size() + 2);
}

/// Whether a call is unsafe while a stream is captured, as one is.
bool isForbidden() {
  constexpr int relaxed = 2;
  return variable("STUB_CUDA_CAPTURE", "") == "global" &&
         captureMode != relaxed;
}

void record(const std::string &line) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  const char *path = std::getenv("STUB_CUDA_LOG");
  if (!path)
    return;
  if (FILE *file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

/// The text that a line of the log has for the current device.
std::string deviceText() {
  int device = currentDevice();
  return device > 0 ? " device " + std::to_string(device) : "";
}

std::string hex(const void *data, size_t size) {
  std::string text;
  char digits[3];
  for (size_t i = 0; i < size; ++i) {
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<const unsigned char *>(data)[i]);
    text += digits;
  }
  return text;
}

} // namespace

//===----------------------------------------------------------------------===//
// The driver and its devices
//===----------------------------------------------------------------------===//

STUB_EXPORT cuInit(unsigned) {
  STUB_MAY_FAIL(cuInit);
  return success;
}

STUB_EXPORT cuDriverGetVersion(int *version) {
  *version = int(number("STUB_CUDA_VERSION", "13000"));
  return success;
}

STUB_EXPORT cuDeviceGetCount(int *count) {
  STUB_MAY_FAIL(cuDeviceGetCount);
  *count = int(number("STUB_CUDA_DEVICES", "1"));
  return success;
}

STUB_EXPORT cuDeviceGet(int *device, int ordinal) {
  STUB_MAY_FAIL(cuDeviceGet);
  *device = ordinal;
  return success;
}

STUB_EXPORT cuDeviceGetName(char *name, int size, int) {
  STUB_MAY_FAIL(cuDeviceGetName);
  std::snprintf(name, size, "%s",
                variable("STUB_CUDA_NAME", "Stub GPU").c_str());
  return success;
}

STUB_EXPORT cuDeviceGetAttribute(int *value, int attribute, int) {
  STUB_MAY_FAIL(cuDeviceGetAttribute);
  std::string capability = variable("STUB_CUDA_CC", "9.0");
  switch (attribute) {
  case 16: // SMs
    *value = 132;
    return success;
  case 75: // compute capability, major
    *value = std::atoi(capability.c_str());
    return success;
  case 76: // compute capability, minor
    *value = std::atoi(capability.c_str() + capability.find('.') + 1);
    return success;
  case 97: // shared memory per block, opt-in
    *value = int(number("STUB_CUDA_SHARED", "232448"));
    return success;
  default:
    return invalidValue;
  }
}

STUB_EXPORT cuDevicePrimaryCtxRetain(void **context, int device) {
  STUB_MAY_FAIL(cuDevicePrimaryCtxRetain);
  if (device < 0 || device >= maxDevices)
    return invalidValue;
  ++primaryContexts;
  *context = &devices[device].context;
  return success;
}

STUB_EXPORT cuDevicePrimaryCtxRelease_v2(int) {
  return --primaryContexts < 0 ? invalidContext : success;
}

STUB_EXPORT cuCtxSetCurrent(void *context) {
  STUB_MAY_FAIL(cuCtxSetCurrent);
  currentContext = context;
  return success;
}

STUB_EXPORT cuCtxGetCurrent(void **context) {
  STUB_MAY_FAIL(cuCtxGetCurrent);
  *context = currentContext;
  return success;
}

STUB_EXPORT cuCtxSynchronize() {
  STUB_MAY_FAIL(cuCtxSynchronize);
  return success;
}

STUB_EXPORT cuGetErrorName(int result, const char **name) {
  switch (result) {
  case invalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return success;
  case outOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return success;
  case 100:
    *name = "CUDA_ERROR_NO_DEVICE";
    return success;
  case 218:
    *name = "CUDA_ERROR_INVALID_PTX";
    return success;
  case 222:
    *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    return success;
  case notFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    return success;
  case 719:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    return success;
  default:
    *name = nullptr;
    return invalidValue;
  }
}

STUB_EXPORT cuGetErrorString(int result, const char **text) {
  const char *name = nullptr;
  *text = nullptr;
  if (cuGetErrorName(result, &name) != success)
    return invalidValue;
  *text = "a failure of the stub";
  return success;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

STUB_EXPORT cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                               int *options, void **values) {
  if (!currentContext)
    return invalidContext;
  if (int result = failureOf("cuModuleLoadDataEx")) {
    std::string log = variable("STUB_CUDA_JIT_LOG", "");
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) // error log buffer
        buffer = static_cast<char *>(values[i]);
      if (options[i] == 6) // its size
        size = reinterpret_cast<size_t>(values[i]);
    }
    if (buffer && size > 0)
      std::snprintf(buffer, size, "%s", log.c_str());
    return result;
  }
  const char *text = static_cast<const char *>(image);
  if (std::strncmp(text, cubinPrefix, std::strlen(cubinPrefix)) == 0)
    text += std::strlen(cubinPrefix);
  std::vector<Kernel> kernels = parsePtx(text);
  if (kernels.empty())
    return invalidImage;
  record("module-load " + std::to_string(std::strlen(text)));
  for (Kernel &kernel : kernels)
    kernel.context = currentContext;
  *module = new Module{kernels, currentContext};
  return success;
}

STUB_EXPORT cuModuleUnload(void *module) {
  if (!currentContext ||
      currentContext != static_cast<Module *>(module)->context)
    return invalidContext;
  record("module-unload");
  delete static_cast<Module *>(module);
  return success;
}

STUB_EXPORT cuModuleGetFunction(void **function, void *module,
                                const char *name) {
  STUB_MAY_FAIL(cuModuleGetFunction);
  for (Kernel &kernel : static_cast<Module *>(module)->kernels)
    if (kernel.name == name) {
      *function = &kernel;
      return success;
    }
  return notFound;
}

STUB_EXPORT cuFuncGetAttribute(int *value, int attribute, void *) {
  STUB_MAY_FAIL(cuFuncGetAttribute);
  // Threads of a block; static shared memory.
  *value = attribute == 0 ? int(number("STUB_CUDA_THREADS", "1024")) : 0;
  return success;
}

STUB_EXPORT cuFuncSetAttribute(void *function, int attribute, int value) {
  STUB_MAY_FAIL(cuFuncSetAttribute);
  if (attribute != 8) // dynamic shared memory
    return invalidValue;
  auto *kernel = static_cast<Kernel *>(function);
  kernel->dynamicShared = value;
  record("shared-limit " + kernel->name + " " + std::to_string(value));
  return success;
}

STUB_EXPORT cuFuncGetParamInfo(void *function, size_t index, size_t *offset,
                               size_t *size) {
  auto *kernel = static_cast<Kernel *>(function);
  if (index >= kernel->parameters.size())
    return invalidValue;
  *offset = 0;
  *size = kernel->parameters[index];
  return success;
}

static int launch(void *function, unsigned gridX, unsigned gridY,
                  unsigned gridZ, unsigned blockX, unsigned blockY,
                  unsigned blockZ, unsigned shared, void *stream,
                  void **parameters, const char *kind) {
  auto *kernel = static_cast<Kernel *>(function);
  if (!currentContext || currentContext != kernel->context)
    return invalidContext;
  if (gridX == 0 || gridY == 0 || gridZ == 0 || gridX > 2147483647u ||
      gridY > 65535 || gridZ > 65535 || int(shared) > kernel->dynamicShared)
    return invalidValue;
  if (!isLogging())
    return success;
  char head[256];
  std::snprintf(head, sizeof(head),
                " grid %u %u %u block %u %u %u shared %u stream %p", gridX,
                gridY, gridZ, blockX, blockY, blockZ, shared, stream);
  std::string line =
      "launch " + kernel->name + head + kind + deviceText() + " params";
  for (size_t i = 0; i < kernel->parameters.size(); ++i)
    line += " " + hex(parameters[i], kernel->parameters[i]);
  record(line);
  return success;
}

STUB_EXPORT cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                           unsigned gridZ, unsigned blockX, unsigned blockY,
                           unsigned blockZ, unsigned shared, void *stream,
                           void **parameters, void **) {
  STUB_MAY_FAIL(cuLaunchKernel);
  return launch(function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared,
                stream, parameters, "");
}

namespace {
struct LaunchAttribute {
  int id;
  char padding[4];
  int value;
  char unused[60];
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned attributeCount;
};
} // namespace

STUB_EXPORT cuLaunchKernelEx(const LaunchConfig *config, void *function,
                             void **parameters, void **) {
  STUB_MAY_FAIL(cuLaunchKernelEx);
  constexpr int programmaticStreamSerialization = 6;
  bool isProgrammatic = false;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    if (config->attributes[i].id != programmaticStreamSerialization)
      return invalidValue;
    isProgrammatic |= config->attributes[i].value == 1;
  }
  const unsigned *grid = config->grid, *block = config->block;
  return launch(function, grid[0], grid[1], grid[2], block[0], block[1],
                block[2], config->shared, config->stream, parameters,
                isProgrammatic ? " programmatic" : "");
}

//===----------------------------------------------------------------------===//
// Memory, streams, events
//===----------------------------------------------------------------------===//

static int allocate(unsigned long long *pointer, size_t bytes) {
  if (!currentContext)
    return invalidContext;
  if (bytes == 0)
    return invalidValue;
  if (bytes > size_t(number("STUB_CUDA_MEMORY", "1073741824")))
    return outOfMemory;
  constexpr size_t alignment = 256;
  void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) /
                                                   alignment * alignment);
  if (!memory)
    return outOfMemory;
  *pointer = reinterpret_cast<unsigned long long>(memory);
  return success;
}

STUB_EXPORT cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  STUB_MAY_FAIL(cuMemAlloc_v2);
  return isForbidden() ? captureUnsupported : allocate(pointer, bytes);
}

STUB_EXPORT cuMemFree_v2(unsigned long long pointer) {
  std::free(reinterpret_cast<void *>(pointer));
  return success;
}

STUB_EXPORT cuMemcpyHtoD_v2(unsigned long long to, const void *from,
                            size_t bytes) {
  STUB_MAY_FAIL(cuMemcpyHtoD_v2);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}

STUB_EXPORT cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  STUB_MAY_FAIL(cuMemcpyDtoH_v2);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return success;
}

STUB_EXPORT cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                                 size_t bytes, void *) {
  STUB_MAY_FAIL(cuMemcpyDtoDAsync_v2);
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return success;
}

STUB_EXPORT cuMemsetD8Async(unsigned long long to, unsigned char value,
                            size_t bytes, void *) {
  STUB_MAY_FAIL(cuMemsetD8Async);
  if (isLogging())
    record("set " + std::to_string(bytes) + " to " + std::to_string(value));
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return success;
}

STUB_EXPORT cuMemPoolCreate(void **pool, const int *properties) {
  STUB_MAY_FAIL(cuMemPoolCreate);
  if (!currentContext)
    return invalidContext;
  // Memory of a device, not shared with other processes.
  if (properties[0] != 1 || properties[1] != 0 || properties[2] != 1 ||
      properties[3] < 0 || properties[3] >= maxDevices)
    return invalidValue;
  *pool = &devices[properties[3]].pool;
  return success;
}

STUB_EXPORT cuMemPoolDestroy(void *pool) {
  return isPool(pool) ? success : invalidHandle;
}

STUB_EXPORT cuMemPoolSetAttribute(void *pool, int attribute, void *) {
  STUB_MAY_FAIL(cuMemPoolSetAttribute);
  // The release threshold.
  return isPool(pool) && attribute == 4 ? success : invalidValue;
}

STUB_EXPORT cuMemAllocFromPoolAsync(unsigned long long *pointer, size_t bytes,
                                    void *pool, void *stream) {
  STUB_MAY_FAIL(cuMemAllocFromPoolAsync);
  int device = currentDevice();
  if (device < 0 || pool != &devices[device].pool)
    return invalidHandle;
  int result = allocate(pointer, bytes);
  if (result != success)
    return result;
  if (!isLogging())
    return success;
  char line[128];
  std::snprintf(line, sizeof(line), "scratch %zu at %llx stream %p", bytes,
                *pointer, stream);
  record(line + deviceText());
  return success;
}

STUB_EXPORT cuMemFreeAsync(unsigned long long pointer, void *stream) {
  STUB_MAY_FAIL(cuMemFreeAsync);
  char line[128];
  std::snprintf(line, sizeof(line), "free-scratch %llx stream %p", pointer,
                stream);
  record(line + deviceText());
  return cuMemFree_v2(pointer);
}

STUB_EXPORT cuMemsetD8_v2(unsigned long long to, unsigned char value,
                          size_t count) {
  STUB_MAY_FAIL(cuMemsetD8_v2);
  std::memset(reinterpret_cast<void *>(to), value, count);
  return success;
}

STUB_EXPORT cuStreamCreate(void **stream, unsigned) {
  STUB_MAY_FAIL(cuStreamCreate);
  *stream = &streamObject;
  return success;
}

STUB_EXPORT cuStreamDestroy_v2(void *stream) {
  return stream == &streamObject ? success : invalidHandle;
}

STUB_EXPORT cuStreamSynchronize(void *stream) {
  STUB_MAY_FAIL(cuStreamSynchronize);
  if (isLogging()) {
    char line[64];
    std::snprintf(line, sizeof(line), "synchronize stream %p", stream);
    record(line + deviceText());
  }
  return success;
}

STUB_EXPORT cuStreamIsCapturing(void *, int *status) {
  STUB_MAY_FAIL(cuStreamIsCapturing);
  *status = std::getenv("STUB_CUDA_CAPTURE") ? 1 : 0;
  return success;
}

STUB_EXPORT cuStreamGetId(void *stream, unsigned long long *id) {
  STUB_MAY_FAIL(cuStreamGetId);
  // As the driver does.
  if (std::getenv("STUB_CUDA_CAPTURE"))
    return captureUnsupported;
  *id = reinterpret_cast<unsigned long long>(stream);
  return success;
}

STUB_EXPORT cuThreadExchangeStreamCaptureMode(int *mode) {
  STUB_MAY_FAIL(cuThreadExchangeStreamCaptureMode);
  std::swap(*mode, captureMode);
  return success;
}

STUB_EXPORT cuEventCreate(void **event, unsigned) {
  STUB_MAY_FAIL(cuEventCreate);
  *event = &eventObject;
  return success;
}

STUB_EXPORT cuEventDestroy_v2(void *event) {
  return event == &eventObject ? success : invalidHandle;
}

STUB_EXPORT cuEventRecord(void *, void *) {
  STUB_MAY_FAIL(cuEventRecord);
  return success;
}

STUB_EXPORT cuEventSynchronize(void *) {
  STUB_MAY_FAIL(cuEventSynchronize);
  return success;
}

STUB_EXPORT cuEventQuery(void *) {
  STUB_MAY_FAIL(cuEventQuery);
  return isForbidden() ? captureUnsupported : success;
}

STUB_EXPORT cuStreamWaitEvent(void *stream, void *, unsigned) {
  STUB_MAY_FAIL(cuStreamWaitEvent);
  char line[64];
  std::snprintf(line, sizeof(line), "wait stream %p", stream);
  record(line + deviceText());
  return success;
}

STUB_EXPORT cuEventElapsedTime(float *milliseconds, void *, void *) {
  STUB_MAY_FAIL(cuEventElapsedTime);
  *milliseconds = 1.5f;
  return success;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

#ifndef STUB_CUDA_OLD
STUB_EXPORT cuTensorMapEncodeTiled(void *map, int dataType, uint32_t rank,
                                   void *address, const uint64_t *extents,
                                   const uint64_t *strides, const uint32_t *box,
                                   const uint32_t *elementStrides,
                                   int interleave, int swizzle, int l2Promotion,
                                   int outOfBoundsFill) {
  STUB_MAY_FAIL(cuTensorMapEncodeTiled);
  bool valid = rank >= 1 && rank <= 5 && interleave == 0 &&
               outOfBoundsFill == 0 && swizzle >= 0 && swizzle <= 3 &&
               reinterpret_cast<uintptr_t>(map) % 64 == 0 &&
               reinterpret_cast<uintptr_t>(address) % 16 == 0;
  uint64_t words[16] = {reinterpret_cast<uint64_t>(address),
                        uint64_t(dataType) | uint64_t(rank) << 8 |
                            uint64_t(swizzle) << 16 |
                            uint64_t(l2Promotion) << 24};
  for (uint32_t i = 0; valid && i < rank; ++i) {
    valid = extents[i] >= 1 && extents[i] <= uint64_t(1) << 32 && box[i] >= 1 &&
            box[i] <= 256 && elementStrides[i] == 1;
    words[2 + i] = extents[i];
    // Two extents of the box to a word.
    words[11 + i / 2] |= uint64_t(box[i]) << (32 * (i % 2));
  }
  for (uint32_t i = 0; valid && i + 1 < rank; ++i) {
    valid = strides[i] % 16 == 0 && strides[i] < uint64_t(1) << 40;
    words[7 + i] = strides[i];
  }
  if (!valid)
    return invalidValue;
  std::memcpy(map, words, sizeof(words));
  record("tensor-map");
  return success;
}
#endif
