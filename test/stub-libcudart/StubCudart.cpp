//===- StubCudart.cpp - CUDA's runtime library without a GPU --------------===//
//
// The functions of libcudart that PyTorch calls to allocate, copy and order
// work, over host memory: CUDA tensors of the real PyTorch on a machine without
// a GPU. A test process opens this library with RTLD_GLOBAL before it imports
// torch, whose libraries then find these functions instead of libcudart's.
//
// The stub has STUB_CUDA_DEVICES devices, as many as the stub driver
// (StubCuda.cpp). Kernels cannot run: a launch fails with
// cudaErrorNotSupported, so an operator of PyTorch that needs one raises.
//
// PyTorch also opens libcuda.so.1, which is this library's name, and looks up
// what it needs to compile and launch kernels; of that only
// cuDevicePrimaryCtxGetState works. The package under test opens the stub
// driver by its path.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

constexpr int success = 0, memoryAllocation = 2, invalidDevice = 101,
              notSupported = 801;
constexpr size_t bytesOfDevice = size_t(8) << 30;

thread_local int currentDevice = 0, lastError = success;

/// Allocations by their ends, with the device of each.
struct Allocation {
  char *begin;
  int device;
};
std::mutex mutex;
std::map<char *, Allocation> allocations;

int deviceCount() {
  const char *value = std::getenv("STUB_CUDA_DEVICES");
  return value ? std::atoi(value) : 1;
}

int failed(int error) { return lastError = error; }

bool isCapturing() { return std::getenv("STUB_CUDA_CAPTURE") != nullptr; }

int allocate(void **pointer, size_t bytes) {
  // An allocator of CUDA's gives addresses of this alignment.
  constexpr size_t alignment = 512;
  size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *memory = rounded > bytesOfDevice
                     ? nullptr
                     : std::aligned_alloc(alignment, rounded);
  if (!memory)
    return failed(memoryAllocation);
  std::lock_guard<std::mutex> lock(mutex);
  allocations[static_cast<char *>(memory) + rounded] = {
      static_cast<char *>(memory), currentDevice};
  *pointer = memory;
  return success;
}

int release(void *pointer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = allocations.upper_bound(static_cast<char *>(pointer));
  if (found != allocations.end() && found->second.begin == pointer)
    allocations.erase(found);
  std::free(pointer);
  return success;
}

int copy(void *to, const void *from, size_t bytes) {
  std::memmove(to, from, bytes);
  return success;
}

/// A handle that nothing looks into.
int handle(void **object) {
  static char objects;
  *object = &objects;
  return success;
}

/// The fields of cudaDeviceProp that PyTorch reads, at their places in CUDA 13.
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount;
};

} // namespace

#define STUB_EXPORT extern "C" __attribute__((visibility("default")))

STUB_EXPORT int cudaGetDeviceCount(int *count) {
  *count = deviceCount();
  return success;
}
STUB_EXPORT int cudaGetDevice(int *device) {
  *device = currentDevice;
  return success;
}
STUB_EXPORT int cudaSetDevice(int device) {
  if (device < 0 || device >= deviceCount())
    return failed(invalidDevice);
  currentDevice = device;
  return success;
}
STUB_EXPORT int cudaGetDeviceProperties(void *properties, int device) {
  if (device < 0 || device >= deviceCount())
    return failed(invalidDevice);
  auto *found = static_cast<DeviceProperties *>(properties);
  std::memset(found, 0, sizeof(DeviceProperties));
  std::snprintf(found->name, sizeof(found->name), "NVIDIA H100 (stub)");
  found->totalGlobalMem = bytesOfDevice;
  found->sharedMemPerBlock = 48 << 10;
  found->regsPerBlock = 65536;
  found->warpSize = 32;
  found->maxThreadsPerBlock = 1024;
  found->major = 9;
  found->multiProcessorCount = 132;
  return success;
}
STUB_EXPORT int cudaDeviceGetAttribute(int *value, int, int) {
  *value = 0;
  return success;
}
STUB_EXPORT int cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return success;
}
STUB_EXPORT int cudaDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}
STUB_EXPORT int cudaRuntimeGetVersion(int *version) {
  *version = 13000;
  return success;
}
STUB_EXPORT int cudaGetDriverEntryPointByVersion(const char *, void **entry,
                                                 unsigned, unsigned long long,
                                                 int *result) {
  *entry = reinterpret_cast<void *>(+[] { return notSupported; });
  if (result)
    *result = success;
  return success;
}

STUB_EXPORT int cudaGetLastError() {
  int error = lastError;
  lastError = success;
  return error;
}
STUB_EXPORT int cudaPeekAtLastError() { return lastError; }
STUB_EXPORT const char *cudaGetErrorName(int) {
  return "cudaError of the stub";
}
STUB_EXPORT const char *cudaGetErrorString(int error) {
  switch (error) {
  case memoryAllocation:
    return "out of memory";
  case invalidDevice:
    return "invalid device ordinal";
  case notSupported:
    return "the stub of CUDA's runtime runs no kernels";
  default:
    return "an error of the stub of CUDA's runtime";
  }
}

STUB_EXPORT int cudaMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes);
}
STUB_EXPORT int cudaMallocAsync(void **pointer, size_t bytes, void *) {
  return allocate(pointer, bytes);
}
STUB_EXPORT int cudaHostAlloc(void **pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes);
}
STUB_EXPORT int cudaFree(void *pointer) { return release(pointer); }
STUB_EXPORT int cudaFreeAsync(void *pointer, void *) {
  return release(pointer);
}
STUB_EXPORT int cudaFreeHost(void *pointer) { return release(pointer); }
STUB_EXPORT int cudaMemGetInfo(size_t *free, size_t *total) {
  *free = *total = bytesOfDevice;
  return success;
}
STUB_EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int) {
  return copy(to, from, bytes);
}
STUB_EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int,
                                void *) {
  return copy(to, from, bytes);
}
STUB_EXPORT int cudaMemcpyPeerAsync(void *to, int, const void *from, int,
                                    size_t bytes, void *) {
  return copy(to, from, bytes);
}
STUB_EXPORT int cudaMemset(void *pointer, int value, size_t bytes) {
  std::memset(pointer, value, bytes);
  return success;
}
STUB_EXPORT int cudaMemsetAsync(void *pointer, int value, size_t bytes,
                                void *) {
  std::memset(pointer, value, bytes);
  return success;
}
STUB_EXPORT int cudaPointerGetAttributes(void *attributes,
                                         const void *pointer) {
  struct {
    int type, device;
    void *devicePointer, *hostPointer;
  } found = {0, -2, nullptr, const_cast<void *>(pointer)};
  constexpr int typeDevice = 2;
  std::lock_guard<std::mutex> lock(mutex);
  auto end =
      allocations.upper_bound(static_cast<char *>(const_cast<void *>(pointer)));
  if (end != allocations.end() && end->second.begin <= pointer)
    found = {typeDevice, end->second.device, const_cast<void *>(pointer),
             const_cast<void *>(pointer)};
  std::memcpy(attributes, &found, sizeof(found));
  return success;
}

STUB_EXPORT int cudaDeviceSynchronize() { return success; }
STUB_EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return success;
}
STUB_EXPORT int cudaStreamCreateWithPriority(void **stream, unsigned, int) {
  return handle(stream);
}
STUB_EXPORT int cudaStreamCreateWithFlags(void **stream, unsigned) {
  return handle(stream);
}
STUB_EXPORT int cudaStreamDestroy(void *) { return success; }
STUB_EXPORT int cudaStreamQuery(void *) { return success; }
STUB_EXPORT int cudaStreamSynchronize(void *) { return success; }
STUB_EXPORT int cudaStreamWaitEvent(void *, void *, unsigned) {
  return success;
}
STUB_EXPORT int cudaStreamIsCapturing(void *, int *status) {
  *status = isCapturing();
  return success;
}
STUB_EXPORT int cudaStreamGetCaptureInfo(void *, int *status,
                                         unsigned long long *id, ...) {
  *status = isCapturing();
  if (id)
    *id = 1;
  return success;
}
STUB_EXPORT int cudaThreadExchangeStreamCaptureMode(int *) { return success; }
STUB_EXPORT int cudaEventCreate(void **event) { return handle(event); }
STUB_EXPORT int cudaEventCreateWithFlags(void **event, unsigned) {
  return handle(event);
}
STUB_EXPORT int cudaEventDestroy(void *) { return success; }
STUB_EXPORT int cudaEventQuery(void *) { return success; }
STUB_EXPORT int cudaEventRecord(void *, void *) { return success; }
STUB_EXPORT int cudaEventRecordWithFlags(void *, void *, unsigned) {
  return success;
}
STUB_EXPORT int cudaEventSynchronize(void *) { return success; }

// Kernels register themselves while PyTorch's libraries are loaded.
STUB_EXPORT void **__cudaRegisterFatBinary(void *) {
  static void *handles;
  return &handles;
}
STUB_EXPORT void __cudaRegisterFatBinaryEnd(void **) {}
STUB_EXPORT void __cudaUnregisterFatBinary(void **) {}
STUB_EXPORT void __cudaRegisterFunction(void **, const char *, char *,
                                        const char *, int, void *, void *,
                                        void *, void *, int *) {}
STUB_EXPORT void __cudaRegisterVar(void **, char *, char *, const char *, int,
                                   size_t, int, int) {}
STUB_EXPORT unsigned __cudaPushCallConfiguration(...) { return 0; }
STUB_EXPORT int __cudaPopCallConfiguration(...) { return success; }
STUB_EXPORT int __cudaGetKernel(void **kernel, const void *) {
  return handle(kernel);
}
STUB_EXPORT int __cudaLaunchKernel(...) { return failed(notSupported); }
STUB_EXPORT int cudaLaunchKernel(...) { return failed(notSupported); }
STUB_EXPORT int cudaLaunchKernelExC(...) { return failed(notSupported); }
STUB_EXPORT int cudaFuncGetAttributes(void *, const void *) {
  return failed(notSupported);
}

STUB_EXPORT int cuDevicePrimaryCtxGetState(int, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return success;
}
#define STUB_UNSUPPORTED(name)                                                 \
  STUB_EXPORT int name(...) { return notSupported; }
STUB_UNSUPPORTED(cuCtxGetCurrent)
STUB_UNSUPPORTED(cuCtxSetCurrent)
STUB_UNSUPPORTED(cuDeviceGet)
STUB_UNSUPPORTED(cuDeviceGetAttribute)
STUB_UNSUPPORTED(cuDevicePrimaryCtxRetain)
STUB_UNSUPPORTED(cuFuncGetAttribute)
STUB_UNSUPPORTED(cuFuncSetAttribute)
STUB_UNSUPPORTED(cuFuncSetCacheConfig)
STUB_UNSUPPORTED(cuGetErrorString)
STUB_UNSUPPORTED(cuLaunchCooperativeKernel)
STUB_UNSUPPORTED(cuLaunchKernel)
STUB_UNSUPPORTED(cuLinkAddData_v2)
STUB_UNSUPPORTED(cuLinkComplete)
STUB_UNSUPPORTED(cuLinkCreate_v2)
STUB_UNSUPPORTED(cuModuleGetFunction)
STUB_UNSUPPORTED(cuModuleLoad)
STUB_UNSUPPORTED(cuModuleLoadData)
STUB_UNSUPPORTED(cuModuleLoadDataEx)
STUB_UNSUPPORTED(cuModuleUnload)
STUB_UNSUPPORTED(cuOccupancyMaxActiveBlocksPerMultiprocessor)
STUB_UNSUPPORTED(cuPointerGetAttribute)
STUB_UNSUPPORTED(cuTensorMapEncodeTiled)
