//===- DeviceTest.cpp - The driver, devices, memory, streams, events ------===//

#include "StubCuda.h"

using namespace sattn::runtime;

TEST(CudaDriver, NotFound) {
  std::string message = messageOf(CudaDriver::load("libsattn-no-such.so.1"));
  EXPECT_TRUE(contains(message,
                       "no CUDA driver: searched for 'libsattn-no-such.so.1'"));
  EXPECT_TRUE(contains(message, "set SATTN_LIBCUDA"));
}

TEST(CudaDriver, TooOld) {
  ScopedVariable version("STUB_CUDA_VERSION", "11040");
  std::string message = messageOf(CudaDriver::load(kStubCudaOldLibrary));
  EXPECT_TRUE(contains(message, "the CUDA driver is too old: expected one for "
                                "CUDA 12.0 or later"));
  EXPECT_TRUE(contains(message, "is for CUDA 11.4 and has no "
                                "cuTensorMapEncodeTiled"));
}

TEST(CudaDriver, TheVariableNamesTheLibrary) {
  // A failure is not remembered; the first success is.
  {
    ScopedVariable library("SATTN_LIBCUDA", "/nonexistent/libcuda.so.1");
    EXPECT_TRUE(contains(messageOf(CudaDriver::get()),
                         "searched for '/nonexistent/libcuda.so.1'"));
    EXPECT_FALSE(bool(Device::open()));
  }
  ScopedVariable library("SATTN_LIBCUDA", kStubCudaLibrary);
  ErrorOr<const CudaDriver *> driver = CudaDriver::get();
  ASSERT_TRUE(bool(driver)) << messageOf(driver);
  EXPECT_EQ((*driver)->version(), "13.0");
  EXPECT_TRUE(bool(Device::open()));
}

TEST(CudaDriver, DescribesResults) {
  EXPECT_EQ(stubDriver().describe(2),
            "CUDA_ERROR_OUT_OF_MEMORY (2): a failure of the stub");
  EXPECT_EQ(stubDriver().describe(98765), "unknown error (98765)");
  EXPECT_FALSE(bool(stubDriver().check(0, "cuInit")));
  EXPECT_EQ(messageOf(stubDriver().check(98765, "cuInit")),
            "cuInit failed: unknown error (98765)");
}

TEST(Device, Describes) {
  ErrorOr<std::unique_ptr<Device>> device = openStub();
  ASSERT_TRUE(bool(device)) << messageOf(device);
  EXPECT_EQ((*device)->describe(), "device 0 'Stub GPU'");
  EXPECT_EQ((*device)->capabilityMajor(), 9);
  EXPECT_EQ((*device)->capabilityMinor(), 0);
  EXPECT_EQ((*device)->smCount(), 132);
  EXPECT_EQ((*device)->maxSharedMemory(), 232448);
}

TEST(Device, None) {
  {
    ScopedVariable devices("STUB_CUDA_DEVICES", "0");
    EXPECT_EQ(messageOf(openStub()),
              "no CUDA device: the driver (CUDA 13.0) finds none");
  }
  ScopedVariable fail("STUB_CUDA_FAIL", "cuInit:100");
  EXPECT_EQ(messageOf(openStub()),
            "no CUDA device: the driver (CUDA 13.0) finds none");
}

TEST(Device, NoSuchOrdinal) {
  EXPECT_EQ(messageOf(openStub(1)), "expected a device in [0, 1), but got 1");
  EXPECT_EQ(messageOf(openStub(-1)), "expected a device in [0, 1), but got -1");
}

TEST(Device, EveryCallMayFail) {
  for (const char *call :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
        "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"}) {
    ScopedVariable fail("STUB_CUDA_FAIL", std::string(call) + ":1");
    EXPECT_EQ(messageOf(openStub()),
              std::string(call) + " failed: CUDA_ERROR_INVALID_VALUE (1): a "
                                  "failure of the stub");
  }
  ScopedVariable fail("STUB_CUDA_FAIL", "cuDevicePrimaryCtxRetain:2");
  EXPECT_EQ(messageOf(openStub()),
            "out of device memory: no context could be made on device 0 "
            "'Stub GPU'");
}

TEST_F(StubCudaTest, BufferHoldsWhatIsCopied) {
  ErrorOr<DeviceBuffer> buffer = DeviceBuffer::allocate(*device, 4);
  ASSERT_TRUE(bool(buffer)) << messageOf(buffer);
  char back[5] = {};
  EXPECT_FALSE(bool(buffer->fill('z')));
  EXPECT_FALSE(bool(buffer->upload("ab", 2)));
  EXPECT_FALSE(bool(buffer->download(back, 4)));
  EXPECT_STREQ(back, "abzz");
  EXPECT_TRUE(contains(messageOf(buffer->upload("abcde", 5)),
                       "expected at most 4 bytes for the buffer, but got 5"));
  EXPECT_TRUE(contains(messageOf(buffer->download(back, 5)),
                       "expected at most 4 bytes of the buffer, but got 5"));

  DeviceBuffer moved = std::move(*buffer);
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_EQ(moved.size(), 4u);
  ErrorOr<DeviceBuffer> other = DeviceBuffer::allocate(*device, 8);
  ASSERT_TRUE(bool(other));
  moved = std::move(*other);
  EXPECT_EQ(moved.size(), 8u);
}

TEST_F(StubCudaTest, EmptyBufferIsNull) {
  ErrorOr<DeviceBuffer> buffer = DeviceBuffer::allocate(*device, 0);
  ASSERT_TRUE(bool(buffer)) << messageOf(buffer);
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_FALSE(bool(buffer->upload(nullptr, 0)));
  EXPECT_FALSE(bool(buffer->download(nullptr, 0)));
  EXPECT_FALSE(bool(buffer->fill(0)));
}

TEST_F(StubCudaTest, OutOfMemorySaysHowMuch) {
  ScopedVariable memory("STUB_CUDA_MEMORY", "1000");
  EXPECT_EQ(messageOf(DeviceBuffer::allocate(*device, 1001)),
            "out of device memory: could not allocate 1001 bytes on device 0 "
            "'Stub GPU'");
  EXPECT_TRUE(bool(DeviceBuffer::allocate(*device, 1000)));
}

TEST_F(StubCudaTest, CopiesStreamsAndEventsMayFail) {
  ErrorOr<DeviceBuffer> buffer = DeviceBuffer::allocate(*device, 4);
  ErrorOr<Stream> stream = Stream::create(*device);
  ErrorOr<Event> start = Event::create(*device), end = Event::create(*device);
  ASSERT_TRUE(bool(buffer) && bool(stream) && bool(start) && bool(end));
  char bytes[4] = {};
  EXPECT_FALSE(bool(start->record(stream->handle())));
  EXPECT_FALSE(bool(end->record(stream->handle())));
  EXPECT_FALSE(bool(end->synchronize()));
  EXPECT_FALSE(bool(stream->synchronize()));
  ErrorOr<float> time = Event::elapsedMilliseconds(*start, *end);
  ASSERT_TRUE(bool(time));
  EXPECT_EQ(*time, 1.5f);

  auto failing = [](const char *call, auto run) {
    std::string variable = std::string(call) + ":719";
    ScopedVariable fail("STUB_CUDA_FAIL", variable);
    return messageOf(run());
  };
  std::string failed = " failed: CUDA_ERROR_LAUNCH_FAILED (719)";
  EXPECT_TRUE(contains(
      failing("cuMemcpyHtoD_v2", [&] { return buffer->upload(bytes, 4); }),
      "cuMemcpyHtoD" + failed));
  EXPECT_TRUE(contains(
      failing("cuMemcpyDtoH_v2", [&] { return buffer->download(bytes, 4); }),
      "cuMemcpyDtoH" + failed));
  EXPECT_TRUE(
      contains(failing("cuMemsetD8_v2", [&] { return buffer->fill(0); }),
               "cuMemsetD8" + failed));
  EXPECT_TRUE(
      contains(failing("cuMemAlloc_v2",
                       [&] { return DeviceBuffer::allocate(*device, 4); }),
               "cuMemAlloc" + failed));
  EXPECT_TRUE(contains(
      failing("cuStreamCreate", [&] { return Stream::create(*device); }),
      "cuStreamCreate" + failed));
  EXPECT_TRUE(contains(
      failing("cuStreamSynchronize", [&] { return stream->synchronize(); }),
      "cuStreamSynchronize" + failed));
  EXPECT_TRUE(
      contains(failing("cuEventCreate", [&] { return Event::create(*device); }),
               "cuEventCreate" + failed));
  EXPECT_TRUE(
      contains(failing("cuEventRecord", [&] { return start->record(nullptr); }),
               "cuEventRecord" + failed));
  EXPECT_TRUE(contains(
      failing("cuEventSynchronize", [&] { return end->synchronize(); }),
      "cuEventSynchronize" + failed));
  EXPECT_TRUE(contains(
      failing("cuEventElapsedTime",
              [&] { return Event::elapsedMilliseconds(*start, *end); }),
      "cuEventElapsedTime" + failed));
  EXPECT_TRUE(contains(
      failing("cuCtxSetCurrent", [&] { return start->record(nullptr); }),
      "cuCtxSetCurrent" + failed));
}

TEST_F(StubCudaTest, LeavesTheCallersContextCurrent) {
  char other;
  auto *context = reinterpret_cast<CUcontext>(&other);
  stubDriver().ctxSetCurrent(context);
  {
    ErrorOr<DeviceBuffer> buffer = DeviceBuffer::allocate(*device, 4);
  }
  CUcontext current = nullptr;
  stubDriver().ctxGetCurrent(&current);
  EXPECT_EQ(current, context);
  stubDriver().ctxSetCurrent(nullptr);
}
