//===- ProgramLoadTest.cpp - Programs that load, or do not ----------------===//

#include "ProgramFixture.h"

using namespace sattn::runtime;

TEST_F(ProgramTest, LoadsAndUnloads) {
  {
    ErrorOr<std::unique_ptr<Program>> program = load();
    ASSERT_TRUE(bool(program)) << messageOf(program);
    EXPECT_EQ((*program)->manifest().name, "f");
    EXPECT_EQ(logged("module-load").size(), 1u);
    EXPECT_TRUE(logged("module-unload").empty());
  }
  EXPECT_EQ(logged("module-unload").size(), 1u);
}

TEST_F(ProgramTest, TheImageNeedNotEndInNull) {
  std::string image = std::string(ptx) + "garbage";
  std::string_view exact(image.data(), strlen(ptx));
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(*device, manifest.dump(), exact);
  ASSERT_TRUE(bool(program)) << messageOf(program);
  EXPECT_EQ(
      logged("module-load"),
      std::vector<std::string>{"module-load " + std::to_string(exact.size())});
}

TEST_F(ProgramTest, RefusesAManifestThatIsNone) {
  EXPECT_TRUE(
      contains(messageOf(Program::load(*device, "{", ptx)), "manifest: "));
  EXPECT_TRUE(logged("module-load").empty());
}

TEST_F(ProgramTest, RefusesAnotherTarget) {
  manifest["target"] = "cpu";
  EXPECT_EQ(messageOf(load()), "program 'f': expected a target for a CUDA "
                               "device, but got 'cpu'");
  EXPECT_TRUE(logged("module-load").empty());
}

TEST_F(ProgramTest, RefusesAnOlderDevice) {
  ScopedVariable capability("STUB_CUDA_CC", "8.0");
  ErrorOr<std::unique_ptr<Device>> old = openStub();
  ASSERT_TRUE(bool(old));
  EXPECT_EQ(messageOf(Program::load(**old, manifest.dump(), ptx)),
            "program 'f': the kernel needs compute capability 9.0 (sm_90a), "
            "but device 0 'Stub GPU' has 8.0");
  EXPECT_TRUE(logged("module-load").empty());
}

TEST_F(ProgramTest, WhichDevicesRunWhichTargets) {
  struct {
    const char *capability, *target;
    bool runs;
  } cases[] = {{"9.0", "sm_90a", true},    {"10.0", "sm_90a", false},
               {"9.0", "sm_80", true},     {"10.0", "sm_90", true},
               {"9.0", "sm_100", false},   {"10.3", "sm_100f", true},
               {"11.0", "sm_100f", false}, {"8.9", "sm_90", false},
               {"8.6", "sm_80a", false}};
  for (const auto &entry : cases) {
    ScopedVariable capability("STUB_CUDA_CC", entry.capability);
    ErrorOr<std::unique_ptr<Device>> other = openStub();
    ASSERT_TRUE(bool(other));
    manifest["target"] = entry.target;
    EXPECT_EQ(bool(Program::load(**other, manifest.dump(), ptx)), entry.runs)
        << entry.target << " on " << entry.capability;
  }
  ScopedVariable capability("STUB_CUDA_CC", "10.0");
  ErrorOr<std::unique_ptr<Device>> newer = openStub();
  manifest["target"] = "sm_90a";
  EXPECT_TRUE(contains(
      messageOf(Program::load(**newer, manifest.dump(), ptx)),
      "needs exactly compute capability 9.0 (sm_90a), but device 0 'Stub GPU' "
      "has 10.0"));
}

TEST_F(ProgramTest, RejectedImagesShowTheDriversLog) {
  ScopedVariable fail("STUB_CUDA_FAIL", "cuModuleLoadDataEx:218");
  ScopedVariable log("STUB_CUDA_JIT_LOG",
                     "ptxas application ptx input, line 3; fatal: Parsing "
                     "error near 'x'\n");
  EXPECT_EQ(messageOf(load()),
            "program 'f': the CUDA driver rejected the image: "
            "CUDA_ERROR_INVALID_PTX (218): a failure of the stub\n"
            "ptxas application ptx input, line 3; fatal: Parsing error near "
            "'x'");
}

TEST_F(ProgramTest, RejectedImagesWithoutALog) {
  {
    ScopedVariable fail("STUB_CUDA_FAIL", "cuModuleLoadDataEx:222");
    ScopedVariable version("STUB_CUDA_VERSION", "12020");
    EXPECT_EQ(messageOf(load()),
              "program 'f': the CUDA driver rejected the image: "
              "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): a failure of the stub "
              "(the driver is for CUDA 12.2)");
  }
  ScopedVariable fail("STUB_CUDA_FAIL", "cuModuleLoadDataEx:2");
  EXPECT_TRUE(contains(messageOf(load()), "out of device memory while loading "
                                          "an image of "));
}

TEST_F(ProgramTest, EmptyImage) {
  EXPECT_EQ(messageOf(Program::load(*device, manifest.dump(), "")),
            "program 'f': expected PTX or a cubin, but the image is empty");
}

TEST_F(ProgramTest, KernelThatIsNotThere) {
  manifest["steps"][0]["launch"] = "other";
  EXPECT_TRUE(contains(messageOf(load()),
                       "program 'f': no kernel 'other' in the image: "
                       "CUDA_ERROR_NOT_FOUND (500)"));
  EXPECT_EQ(logged("module-unload").size(), 1u);
}

TEST_F(ProgramTest, NoMemoryForAKernel) {
  ScopedVariable fail("STUB_CUDA_FAIL", "cuModuleGetFunction:2");
  EXPECT_EQ(messageOf(load()), "program 'f': out of device memory while "
                               "loading kernel 'kernel'");
  EXPECT_EQ(logged("module-unload").size(), 1u);
}

TEST_F(ProgramTest, TooMuchSharedMemory) {
  manifest["steps"][0]["shared"] = 232449;
  EXPECT_EQ(messageOf(load()),
            "kernel 'kernel' needs 232449 bytes of shared memory, but device 0 "
            "'Stub GPU' has 232448");
  EXPECT_TRUE(logged("shared-limit").empty());
}

TEST_F(ProgramTest, AsksForSharedMemoryAbove48K) {
  manifest["steps"][0]["shared"] = 48 * 1024;
  EXPECT_EQ(launchMessage(), "<success>");
  EXPECT_TRUE(logged("shared-limit").empty());
  manifest["steps"][0]["shared"] = 232448;
  // A second launch of the same kernel must not lower its limit.
  manifest["steps"].push_back(manifest["steps"][0]);
  manifest["steps"][1]["shared"] = 50 * 1024;
  EXPECT_EQ(launchMessage(), "<success>");
  EXPECT_EQ(logged("shared-limit"),
            std::vector<std::string>(2, "shared-limit kernel 232448"));
}

TEST_F(ProgramTest, TooManyThreads) {
  ScopedVariable threads("STUB_CUDA_THREADS", "256");
  EXPECT_EQ(messageOf(load()), "kernel 'kernel': expected at most 256 threads "
                               "a block, but the manifest has 384");
}

TEST_F(ProgramTest, ParametersMustBeTheKernels) {
  nlohmann::json &parameters = manifest["steps"][0]["arguments"];
  nlohmann::json all = parameters;
  parameters.erase(4);
  EXPECT_EQ(messageOf(load()), "kernel 'kernel': expected 8 parameters, as in "
                               "the manifest, but it has more");
  parameters = all;
  parameters.push_back({{"scalar", Beta}});
  EXPECT_EQ(messageOf(load()), "kernel 'kernel': expected 10 parameters, as in "
                               "the manifest, but it has 9");
  parameters = all;
  parameters[1]["type"] = "i32";
  EXPECT_EQ(messageOf(load()),
            "kernel 'kernel': expected parameter 5 to have 4 bytes, as in the "
            "manifest, but it has 8");
  parameters = all;
  manifest["arguments"][Alpha]["type"] = "f64";
  EXPECT_EQ(messageOf(load()),
            "kernel 'kernel': expected parameter 7 to have 8 bytes, as in the "
            "manifest, but it has 4");
}

TEST_F(ProgramTest, OtherCallsMayFail) {
  manifest["steps"][0]["shared"] = 100000;
  for (const char *call :
       {"cuFuncGetAttribute", "cuFuncSetAttribute", "cuCtxSetCurrent"}) {
    ScopedVariable fail("STUB_CUDA_FAIL", std::string(call) + ":1");
    EXPECT_TRUE(contains(messageOf(load()), std::string(call) + " failed: "));
  }
}

TEST_F(ProgramTest, CodeIsLoadedInThePlaceOfPtx) {
  std::string code = std::string("\x7f"
                                 "ELF") +
                     ptx;
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(*device, manifest.dump(), "no PTX", code);
  ASSERT_TRUE(bool(program)) << messageOf(program);
  EXPECT_EQ(logged("module-load").size(), 1u);
}

TEST_F(ProgramTest, CodeThatTheDriverRefusesIsNotUsed) {
  std::string code = "\x7f"
                     "ELF of another driver";
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(*device, manifest.dump(), ptx, code);
  ASSERT_TRUE(bool(program)) << messageOf(program);
  EXPECT_EQ(logged("module-load").size(), 1u);
  EXPECT_TRUE(contains(
      messageOf(Program::load(*device, manifest.dump(), "no PTX", code)),
      "program 'f': the CUDA driver rejected the image: "));
}
