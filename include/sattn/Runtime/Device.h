//===- Device.h - A CUDA device, its memory, streams and events -*- C++ -*-===//
//
// Owners of what the driver hands out; each gives it back when destroyed. All
// work in the device's primary context, which the CUDA runtime and PyTorch use
// too, and leave the caller's current context as it was.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_DEVICE_H
#define SATTN_RUNTIME_DEVICE_H

#include "sattn/Runtime/CudaDriver.h"

#include <optional>

namespace sattn::runtime {

class ScratchMemory;

/// Holds the primary context of one device. Whatever is made from a device
/// must be destroyed before it.
class Device {
public:
  /// Opens a device. Errors: no driver, no device, no such ordinal, any failure
  /// of the driver. Without `driver`, CudaDriver::get() is used.
  static ErrorOr<std::unique_ptr<Device>>
  open(int ordinal = 0, const CudaDriver *driver = nullptr);

  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const CudaDriver &driver() const { return *api; }
  CUcontext context() const { return primary; }
  int ordinal() const { return number; }
  const std::string &name() const { return deviceName; }
  int capabilityMajor() const { return major; }
  int capabilityMinor() const { return minor; }
  int smCount() const { return processors; }
  /// The chip with all of the device's own instructions, "sm_90a": from 9.0 on
  /// these have a suffix.
  std::string chip() const;
  /// Shared memory that one CTA can have, in bytes.
  int64_t maxSharedMemory() const { return sharedMemory; }

  /// How diagnostics name it: "device 0 'NVIDIA H200'".
  std::string describe() const;

  /// The scratch memory of calls on this device.
  ScratchMemory &scratch() const { return *scratchMemory; }

private:
  Device();

  const CudaDriver *api = nullptr;
  CUdevice handle = 0;
  CUcontext primary = nullptr;
  int number = 0;
  std::string deviceName;
  int major = 0, minor = 0, processors = 0;
  int64_t sharedMemory = 0;
  std::unique_ptr<ScratchMemory> scratchMemory;
};

/// Makes the device's context current on this thread, and the former one
/// again when destroyed.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Whether the context is current now.
  Error takeError() { return std::move(failure); }

private:
  const CudaDriver &driver;
  CUcontext former = nullptr;
  bool changed = false;
  Error failure = Error::success();
};

/// An object during whose life this thread may make calls that the capture of a
/// graph, its own or another thread's, forbids it otherwise: allocations, and
/// questions about events. None of them may concern a captured stream.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaDriver &driver);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const CudaDriver &driver;
  int former = cuda::streamCaptureModeRelaxed;
  bool changed;
};

/// Memory on a device.
class DeviceBuffer {
public:
  /// Allocates memory; 0 bytes give a null pointer. If memory is short, the
  /// error has the requested bytes and `purpose`, if given: "a copy of x".
  static ErrorOr<DeviceBuffer> allocate(const Device &device, size_t bytes,
                                        std::string_view purpose = {});

  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  void *data() const { return reinterpret_cast<void *>(pointer); }
  size_t size() const { return bytes; }

  /// Copies `count` bytes to or from the buffer's start and waits for it. More
  /// than it holds is an error.
  Error upload(const void *from, size_t count);
  Error download(void *to, size_t count) const;

  /// Sets every byte, and waits for it.
  Error fill(unsigned char value);

private:
  explicit DeviceBuffer(const Device &device) : device(&device) {}

  const Device *device;
  CUdeviceptr pointer = 0;
  size_t bytes = 0;
};

/// A stream that does not wait for the default stream.
class Stream {
public:
  static ErrorOr<Stream> create(const Device &device);

  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  CUstream handle() const { return stream; }

  /// Waits for the stream's work; reports its failure, if it failed.
  Error synchronize() const;

private:
  explicit Stream(const Device &device) : device(&device) {}

  const Device *device;
  CUstream stream = nullptr;
};

/// A point in a stream's work, with its time unless that is not wanted.
class Event {
public:
  static ErrorOr<Event> create(const Device &device, bool isTimed = true);

  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  Error record(CUstream stream);
  Error synchronize() const;

  /// Whether the point is reached, which may be asked during a capture too.
  bool isReached() const;
  /// Lets what follows on `stream`, which is not captured, wait for the point.
  Error delay(CUstream stream) const;

  /// The time from `start` to `end`, both recorded and reached.
  static ErrorOr<float> elapsedMilliseconds(const Event &start,
                                            const Event &end);

private:
  explicit Event(const Device &device) : device(&device) {}

  const Device *device;
  CUevent event = nullptr;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_DEVICE_H
