//===- Device.cpp - A CUDA device, its memory, streams and events ---------===//

#include "sattn/Runtime/Device.h"

#include "sattn/Runtime/ScratchMemory.h"
#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

ErrorOr<std::unique_ptr<Device>> Device::open(int ordinal,
                                              const CudaDriver *driver) {
  if (!driver) {
    ErrorOr<const CudaDriver *> found = CudaDriver::get();
    if (!found)
      return found.takeError();
    driver = *found;
  }
  CUresult initialized = driver->init(0);
  int count = 0;
  if (initialized == cuda::success)
    if (Error err =
            driver->check(driver->deviceGetCount(&count), "cuDeviceGetCount"))
      return err;
  // A driver without a device says so in either way.
  if (initialized == cuda::errorNoDevice ||
      (initialized == cuda::success && count == 0))
    return makeError("no CUDA device: the driver (CUDA ", driver->version(),
                     ") finds none");
  if (Error err = driver->check(initialized, "cuInit"))
    return err;
  if (ordinal < 0 || ordinal >= count)
    return makeError("expected a device in [0, ", count, "), but got ",
                     ordinal);

  std::unique_ptr<Device> device(new Device());
  device->api = driver;
  device->number = ordinal;
  if (Error err = driver->check(driver->deviceGet(&device->handle, ordinal),
                                "cuDeviceGet"))
    return err;
  char name[256] = {};
  if (Error err = driver->check(
          driver->deviceGetName(name, sizeof(name) - 1, device->handle),
          "cuDeviceGetName"))
    return err;
  device->deviceName = name;

  int shared = 0;
  struct {
    int attribute;
    int *value;
  } attributes[] = {{cuda::computeCapabilityMajor, &device->major},
                    {cuda::computeCapabilityMinor, &device->minor},
                    {cuda::multiprocessorCount, &device->processors},
                    {cuda::maxSharedMemoryPerBlockOptin, &shared}};
  for (const auto &entry : attributes)
    if (Error err =
            driver->check(driver->deviceGetAttribute(
                              entry.value, entry.attribute, device->handle),
                          "cuDeviceGetAttribute"))
      return err;
  device->sharedMemory = shared;

  CUcontext context = nullptr;
  CUresult retained = driver->devicePrimaryCtxRetain(&context, device->handle);
  if (retained == cuda::errorOutOfMemory)
    return makeError("out of device memory: no context could be made on ",
                     device->describe());
  if (Error err = driver->check(retained, "cuDevicePrimaryCtxRetain"))
    return err;
  device->primary = context;
  device->scratchMemory = std::make_unique<ScratchMemory>(*device);
  return device;
}

Device::Device() = default;

Device::~Device() {
  scratchMemory.reset();
  if (primary)
    api->devicePrimaryCtxRelease(handle);
}

std::string Device::chip() const {
  return concat("sm_", major, minor, major >= 9 ? "a" : "");
}

std::string Device::describe() const {
  return concat("device ", number, " '", deviceName, "'");
}

//===----------------------------------------------------------------------===//
// CurrentContext
//===----------------------------------------------------------------------===//

CurrentContext::CurrentContext(const Device &device) : driver(device.driver()) {
  failure = driver.check(driver.ctxGetCurrent(&former), "cuCtxGetCurrent");
  if (failure || former == device.context())
    return;
  failure =
      driver.check(driver.ctxSetCurrent(device.context()), "cuCtxSetCurrent");
  changed = !failure;
}

CurrentContext::~CurrentContext() {
  if (changed)
    driver.ctxSetCurrent(former);
}

//===----------------------------------------------------------------------===//
// RelaxedCapture
//===----------------------------------------------------------------------===//

RelaxedCapture::RelaxedCapture(const CudaDriver &driver)
    : driver(driver), changed(driver.threadExchangeStreamCaptureMode(&former) ==
                              cuda::success) {}

RelaxedCapture::~RelaxedCapture() {
  if (changed)
    driver.threadExchangeStreamCaptureMode(&former);
}

//===----------------------------------------------------------------------===//
// DeviceBuffer
//===----------------------------------------------------------------------===//

/// Copies to the device and fills return before they are done, and streams
/// that do not wait for the default one would overtake them.
static Error waitForDefaultStream(const CudaDriver &driver) {
  return driver.check(driver.streamSynchronize(nullptr), "cuStreamSynchronize");
}

ErrorOr<DeviceBuffer> DeviceBuffer::allocate(const Device &device, size_t bytes,
                                             std::string_view purpose) {
  DeviceBuffer buffer(device);
  if (bytes == 0)
    return buffer;
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device.driver();
  CUresult result = driver.memAlloc(&buffer.pointer, bytes);
  if (result == cuda::errorOutOfMemory) {
    std::string forWhat = purpose.empty() ? "" : concat(" of ", purpose);
    return makeError("out of device memory: could not allocate ", bytes,
                     " bytes", forWhat, " on ", device.describe());
  }
  if (Error err = driver.check(result, "cuMemAlloc"))
    return err;
  buffer.bytes = bytes;
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : device(other.device), pointer(std::exchange(other.pointer, 0)),
      bytes(std::exchange(other.bytes, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(pointer, other.pointer);
  std::swap(bytes, other.bytes);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (!pointer)
    return;
  CurrentContext current(*device);
  device->driver().memFree(pointer);
}

Error DeviceBuffer::upload(const void *from, size_t count) {
  if (count > bytes)
    return makeError("expected at most ", bytes,
                     " bytes for the buffer, but "
                     "got ",
                     count);
  if (count == 0)
    return Error::success();
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  if (Error err =
          driver.check(driver.memcpyHtoD(pointer, from, count), "cuMemcpyHtoD"))
    return err;
  return waitForDefaultStream(driver);
}

Error DeviceBuffer::download(void *to, size_t count) const {
  if (count > bytes)
    return makeError("expected at most ", bytes,
                     " bytes of the buffer, but "
                     "got ",
                     count);
  if (count == 0)
    return Error::success();
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  return driver.check(driver.memcpyDtoH(to, pointer, count), "cuMemcpyDtoH");
}

Error DeviceBuffer::fill(unsigned char value) {
  if (bytes == 0)
    return Error::success();
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  if (Error err =
          driver.check(driver.memsetD8(pointer, value, bytes), "cuMemsetD8"))
    return err;
  return waitForDefaultStream(driver);
}

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

ErrorOr<Stream> Stream::create(const Device &device) {
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  Stream stream(device);
  const CudaDriver &driver = device.driver();
  if (Error err = driver.check(
          driver.streamCreate(&stream.stream, cuda::streamNonBlocking),
          "cuStreamCreate"))
    return err;
  return stream;
}

Stream::Stream(Stream &&other) noexcept
    : device(other.device), stream(std::exchange(other.stream, nullptr)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  std::swap(device, other.device);
  std::swap(stream, other.stream);
  return *this;
}

Stream::~Stream() {
  if (!stream)
    return;
  CurrentContext current(*device);
  device->driver().streamDestroy(stream);
}

Error Stream::synchronize() const {
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  return driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize");
}

//===----------------------------------------------------------------------===//
// Event
//===----------------------------------------------------------------------===//

ErrorOr<Event> Event::create(const Device &device, bool isTimed) {
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  Event event(device);
  const CudaDriver &driver = device.driver();
  if (Error err = driver.check(
          driver.eventCreate(&event.event,
                             isTimed ? 0 : cuda::eventDisableTiming),
          "cuEventCreate"))
    return err;
  return event;
}

Event::Event(Event &&other) noexcept
    : device(other.device), event(std::exchange(other.event, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  std::swap(device, other.device);
  std::swap(event, other.event);
  return *this;
}

Event::~Event() {
  if (!event)
    return;
  CurrentContext current(*device);
  device->driver().eventDestroy(event);
}

Error Event::record(CUstream stream) {
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  return driver.check(driver.eventRecord(event, stream), "cuEventRecord");
}

Error Event::synchronize() const {
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  return driver.check(driver.eventSynchronize(event), "cuEventSynchronize");
}

bool Event::isReached() const {
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return false;
  const CudaDriver &driver = device->driver();
  RelaxedCapture relaxed(driver);
  return driver.eventQuery(event) == cuda::success;
}

Error Event::delay(CUstream stream) const {
  CurrentContext current(*device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device->driver();
  return driver.check(driver.streamWaitEvent(stream, event, 0),
                      "cuStreamWaitEvent");
}

ErrorOr<float> Event::elapsedMilliseconds(const Event &start,
                                          const Event &end) {
  CurrentContext current(*start.device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = start.device->driver();
  float milliseconds = 0;
  if (Error err = driver.check(
          driver.eventElapsedTime(&milliseconds, start.event, end.event),
          "cuEventElapsedTime"))
    return err;
  return milliseconds;
}
