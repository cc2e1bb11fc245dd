//===- CudaDriver.h - The CUDA driver, found at run time --------*- C++ -*-===//
//
// libcuda.so.1 is opened with dlopen when it is first needed, so that nothing
// here needs CUDA to be built, or to run what needs no GPU. The few types and
// numbers of the driver's interface that we use are declared here; the numbers
// are those of cuda.h, which never change (its ABI is stable).
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_CUDADRIVER_H
#define SATTN_RUNTIME_CUDADRIVER_H

#include "sattn/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>

// At global scope, as in cuda.h, so that handles are of the same type as those
// of a program that includes it.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUmemPoolHandle_st;

namespace sattn::runtime {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = ::CUctx_st *;
using CUmodule = ::CUmod_st *;
using CUfunction = ::CUfunc_st *;
using CUstream = ::CUstream_st *;
using CUevent = ::CUevent_st *;
using CUmemoryPool = ::CUmemPoolHandle_st *;

/// Numbers of the driver's interface.
namespace cuda {
// CUresult
constexpr CUresult success = 0;
constexpr CUresult errorInvalidValue = 1;
constexpr CUresult errorOutOfMemory = 2;
constexpr CUresult errorNoDevice = 100;
constexpr CUresult errorUnsupportedPtxVersion = 222;
// CUdevice_attribute
constexpr int maxThreadsPerBlock = 1;
constexpr int multiprocessorCount = 16;
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
constexpr int maxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute
constexpr int functionMaxThreadsPerBlock = 0;
constexpr int functionSharedSizeBytes = 1;
constexpr int functionMaxDynamicSharedSizeBytes = 8;
// CUjit_option
constexpr int jitErrorLogBuffer = 5;
constexpr int jitErrorLogBufferSizeBytes = 6;
// CUstream_flags
constexpr unsigned streamNonBlocking = 1;
// CUstreamCaptureStatus
constexpr int streamCaptureNone = 0;
// CUevent_flags
constexpr unsigned eventDisableTiming = 2;
// CUstreamCaptureMode
constexpr int streamCaptureModeRelaxed = 2;
// CUmemAllocationType, CUmemLocationType, CUmemPool_attribute
constexpr int memAllocationTypePinned = 1;
constexpr int memLocationTypeDevice = 1;
constexpr int memPoolReleaseThreshold = 4;

// CUlaunchAttributeID
constexpr int launchProgrammaticStreamSerialization = 6;

/// CUlaunchAttribute with a value that is an int.
struct LaunchAttribute {
  int id = 0;
  char padding[4] = {};
  int value = 0;
  char unused[60] = {};
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CUstream stream;
  const LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// CUmemPoolProps.
struct MemPoolProperties {
  int allocationType = 0;
  int handleTypes = 0;
  int locationType = 0;
  int locationId = 0;
  void *securityAttributes = nullptr;
  size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};
static_assert(sizeof(MemPoolProperties) == 88);
} // namespace cuda

// X(member, symbol, parameters): every function that is needed.
#define SATTN_CUDA_FUNCTIONS(X)                                                \
  X(init, cuInit, (unsigned flags))                                            \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                  \
  X(deviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device))   \
  X(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, CUdevice device))                              \
  X(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                          \
    (CUcontext * context, CUdevice device))                                    \
  X(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))  \
  X(ctxSetCurrent, cuCtxSetCurrent, (CUcontext context))                       \
  X(ctxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                     \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (CUmodule * module, const void *image, unsigned numOptions, int *options,  \
     void **optionValues))                                                     \
  X(moduleUnload, cuModuleUnload, (CUmodule module))                           \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (CUfunction * function, CUmodule module, const char *name))                \
  X(funcGetAttribute, cuFuncGetAttribute,                                      \
    (int *value, int attribute, CUfunction function))                          \
  X(funcSetAttribute, cuFuncSetAttribute,                                      \
    (CUfunction function, int attribute, int value))                           \
  X(launchKernel, cuLaunchKernel,                                              \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,      \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream stream, void **parameters, void **extra))                        \
  X(launchKernelEx, cuLaunchKernelEx,                                          \
    (const cuda::LaunchConfig *config, CUfunction function, void **parameters, \
     void **extra))                                                            \
  X(memAlloc, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))            \
  X(memFree, cuMemFree_v2, (CUdeviceptr pointer))                              \
  X(memcpyHtoD, cuMemcpyHtoD_v2,                                               \
    (CUdeviceptr to, const void *from, size_t bytes))                          \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes))   \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))      \
  X(memPoolCreate, cuMemPoolCreate,                                            \
    (CUmemoryPool * pool, const cuda::MemPoolProperties *properties))          \
  X(memPoolDestroy, cuMemPoolDestroy, (CUmemoryPool pool))                     \
  X(memPoolSetAttribute, cuMemPoolSetAttribute,                                \
    (CUmemoryPool pool, int attribute, void *value))                           \
  X(memAllocFromPoolAsync, cuMemAllocFromPoolAsync,                            \
    (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream)) \
  X(memFreeAsync, cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream))      \
  X(memsetD8, cuMemsetD8_v2,                                                   \
    (CUdeviceptr to, unsigned char value, size_t count))                       \
  X(streamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))         \
  X(streamDestroy, cuStreamDestroy_v2, (CUstream stream))                      \
  X(streamSynchronize, cuStreamSynchronize, (CUstream stream))                 \
  X(streamIsCapturing, cuStreamIsCapturing, (CUstream stream, int *status))    \
  X(streamGetId, cuStreamGetId, (CUstream stream, unsigned long long *id))     \
  X(threadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode,        \
    (int *mode))                                                               \
  X(eventCreate, cuEventCreate, (CUevent * event, unsigned flags))             \
  X(eventDestroy, cuEventDestroy_v2, (CUevent event))                          \
  X(eventRecord, cuEventRecord, (CUevent event, CUstream stream))              \
  X(eventSynchronize, cuEventSynchronize, (CUevent event))                     \
  X(eventQuery, cuEventQuery, (CUevent event))                                 \
  X(streamWaitEvent, cuStreamWaitEvent,                                        \
    (CUstream stream, CUevent event, unsigned flags))                          \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, CUevent start, CUevent end))                         \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (void *map, int dataType, uint32_t rank, void *address,                    \
     const uint64_t *extents, const uint64_t *strides, const uint32_t *box,    \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int outOfBoundsFill))                                    \
  X(getErrorName, cuGetErrorName, (CUresult result, const char **name))        \
  X(getErrorString, cuGetErrorString, (CUresult result, const char **text))

/// The driver's functions, under their names without `cu` and version.
class CudaDriver {
public:
#define SATTN_CUDA_MEMBER(member, symbol, parameters)                          \
  CUresult(*member) parameters = nullptr;
  SATTN_CUDA_FUNCTIONS(SATTN_CUDA_MEMBER)
#undef SATTN_CUDA_MEMBER

  /// Null in drivers older than CUDA 12.4.
  CUresult (*funcGetParamInfo)(CUfunction function, size_t index,
                               size_t *offset, size_t *size) = nullptr;

  /// The process's driver, opened at the first call that succeeds:
  /// $SATTN_LIBCUDA if that is set, else libcuda.so.1 on the dynamic linker's
  /// path. Errors: no driver (with the searched names), or a driver that lacks
  /// a function, with its version.
  static ErrorOr<const CudaDriver *> get();

  /// Opens the library at `path`, apart from `get`'s. It stays loaded.
  static ErrorOr<std::unique_ptr<CudaDriver>> load(const std::string &path);

  /// Turns a result into success, or into the error "CALL failed: NAME
  /// (NUMBER): text".
  Error check(CUresult result, const char *call) const;

  /// A text such as "CUDA_ERROR_INVALID_VALUE (1): invalid argument".
  std::string describe(CUresult result) const;

  /// The newest CUDA version that the driver supports: "12.4".
  std::string version() const;

private:
  CudaDriver() = default;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_CUDADRIVER_H
