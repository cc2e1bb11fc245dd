//===- ProgramFixture.h - Programs on the stub device -----------*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_RUNTIME_PROGRAMFIXTURE_H
#define SATTN_TEST_UNIT_RUNTIME_PROGRAMFIXTURE_H

#include "BsrProgram.h"
#include "StubCuda.h"
#include "sattn/Runtime/Program.h"

namespace sattn::runtime {

/// A program of one kernel that takes one parameter of each kind.
class ProgramTest : public StubCudaTest {
protected:
  /// Parameters of `kernel`: the memref of left (rank 1: five words), an i64,
  /// an i32, an f32, a tensor map.
  static constexpr const char *ptx = R"(
.version 8.0
.target sm_90a
.visible .entry kernel(
  .param .u64 .ptr .align 1 kernel_param_0,
  .param .u64 kernel_param_1,
  .param .u64 kernel_param_2,
  .param .u64 kernel_param_3,
  .param .u64 kernel_param_4,
  .param .u64 kernel_param_5,
  .param .u32 kernel_param_6,
  .param .f32 kernel_param_7,
  .param .align 64 .b8 kernel_param_8[128]
)
{
  ret;
}
)";

  ProgramTest() {
    manifest = bsrManifest();
    manifest["values"] = {
        {{"op", "dim"}, {"argument", Out}, {"index", 0}},
        {{"op", "constant"}, {"value", 3}},
        {{"op", "constant"}, {"value", 2}},
        {{"op", "constant"}, {"value", 1}},
    };
    manifest["steps"] = {
        {{"launch", "kernel"},
         {"when", nullptr},
         {"grid", {0, 1, 2}},
         {"block", 384},
         {"shared", 1024},
         {"arguments",
          {{{"memref", Left}},
           {{"value", 0}, {"type", "i64"}},
           {{"value", 1}, {"type", "i32"}},
           {{"scalar", Alpha}},
           {{"tensor_map",
             {{"argument", B}, {"box", {32, 64}}, {"swizzle", 128}}}}}}}};
  }

  ErrorOr<std::unique_ptr<Program>> load() {
    return Program::load(*device, manifest.dump(), ptx);
  }

  /// Loads the manifest's program and launches it once.
  std::string launchMessage() {
    ErrorOr<std::unique_ptr<Program>> program = load();
    if (!program)
      return "load: " + messageOf(program);
    return messageOf((*program)->launch(arguments.arguments, nullptr));
  }

  nlohmann::json manifest;
  BsrArguments arguments;
};

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_PROGRAMFIXTURE_H
