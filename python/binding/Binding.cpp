//===- Binding.cpp - Programs as functions of Python ----------------------===//
//
// The functions that the package `sattn` calls. The exported ones make tvm-ffi
// Functions, which Python calls with the program's arguments. Errors that the
// caller's arguments cause are ValueError or TypeError, all others
// RuntimeError.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Compiler.h"
#include "KeptHints.h"
#include "Threads.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Runtime/Explain.h"
#include "sattn/Runtime/HostCall.h"
#include "sattn/Runtime/Prepared.h"
#include "sattn/Runtime/Program.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <map>

using namespace sattn;
using namespace tvm;
using python::readArguments;
using runtime::Argument;
using runtime::Device;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Program;

namespace {
/// A program and its device; copies share the program.
struct Loaded {
  const Device *device;
  std::shared_ptr<Program> program;

  const std::vector<Argument> &read(ffi::PackedArgs packed) const {
    return readArguments(program->manifest(), packed,
                         DLDevice{kDLCUDA, device->ordinal()});
  }

  runtime::CUstream stream() const {
    return static_cast<runtime::CUstream>(
        TVMFFIEnvGetStream(kDLCUDA, device->ordinal()));
  }

  /// Throws what a call failed with.
  [[noreturn]] void fail(const Error &failure,
                         const std::vector<Argument> &arguments) const {
    const runtime::Manifest &manifest = program->manifest();
    if (checkCall(manifest, arguments, runtime::ContentCheck::Off,
                  device->smCount()))
      TVM_FFI_THROW(ValueError) << failure.message();
    ErrorOr<std::vector<int64_t>> values =
        evaluate(manifest, arguments, device->smCount());
    if (values && findMissing(manifest, arguments, *values).message() ==
                      failure.message())
      TVM_FFI_THROW(ValueError) << failure.message();
    TVM_FFI_THROW(RuntimeError) << failure.message();
  }
};
} // namespace

static void check(Error failure) {
  if (failure)
    TVM_FFI_THROW(RuntimeError) << failure.message();
}

/// The device of an ordinal, opened at the first call and never closed: Python
/// may destroy programs after every static object. Throws what Device::open
/// fails with, each call anew.
static const Device &openDevice(int64_t ordinal) {
  static std::mutex mutex;
  static auto *devices = new std::map<int, std::unique_ptr<Device>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Device> &device = (*devices)[int(ordinal)];
  if (!device) {
    ErrorOr<std::unique_ptr<Device>> opened = Device::open(int(ordinal));
    if (!opened)
      check(opened.takeError());
    device = std::move(*opened);
  }
  return *device;
}

/// prepare(arguments...) -> Function that launches with the prepared results.
static ffi::Function prepare(const Loaded &loaded, ffi::PackedArgs packed) {
  const std::vector<Argument> &arguments = loaded.read(packed);
  const runtime::CudaDriver &driver = loaded.device->driver();
  runtime::CUstream stream = loaded.stream();
  runtime::CurrentContext current(*loaded.device);
  check(current.takeError());
  int capture = 0;
  check(driver.check(driver.streamIsCapturing(stream, &capture),
                     "cuStreamIsCapturing"));
  if (capture != runtime::cuda::streamCaptureNone)
    TVM_FFI_THROW(RuntimeError)
        << "expected an operand to be prepared before the capture of a graph, "
           "but its first product of a kind is captured";
  ErrorOr<runtime::Prepared> prepared =
      loaded.program->prepare(arguments, stream);
  if (!prepared)
    loaded.fail(prepared.error(), arguments);
  auto shared = std::make_shared<runtime::Prepared>(std::move(*prepared));
  auto launch = [loaded, shared](ffi::PackedArgs packed, ffi::Any *) {
    const std::vector<Argument> &arguments = loaded.read(packed);
    if (Error err = loaded.program->launch(*shared, arguments, loaded.stream()))
      loaded.fail(err, arguments);
  };
  return ffi::Function::FromPacked(launch);
}

static int64_t numberOf(const ffi::AnyView &argument) {
  std::optional<int64_t> number = argument.try_cast<int64_t>();
  if (!number)
    TVM_FFI_THROW(TypeError)
        << "expected a number, but got " << argument.GetTypeKey();
  return *number;
}

/// keep() -> [launch, bytes, add], which share hints (KeptHints.h): see `load`.
static ffi::Array<ffi::Function> keepHints(const Loaded &loaded) {
  auto kept =
      std::make_shared<python::KeptHints>(*loaded.device, loaded.program);
  auto launch = [=](ffi::PackedArgs packed, ffi::Any *result) {
    const std::vector<Argument> &arguments = loaded.read(packed);
    ErrorOr<int64_t> outcome = kept->launch(arguments, loaded.stream());
    if (!outcome)
      loaded.fail(outcome.error(), arguments);
    *result = *outcome;
  };
  auto bytes = [=](ffi::PackedArgs packed, ffi::Any *result) {
    const std::vector<Argument> &arguments = loaded.read(packed);
    ErrorOr<size_t> size = loaded.program->hintBytes(arguments);
    if (!size)
      loaded.fail(size.error(), arguments);
    *result = int64_t(*size);
  };
  auto add = [=](ffi::PackedArgs packed, ffi::Any *) {
    if (packed.size() < 1)
      TVM_FFI_THROW(TypeError) << "expected an address";
    auto *memory = reinterpret_cast<void *>(numberOf(packed[0]));
    const std::vector<Argument> &arguments =
        loaded.read({packed.data() + 1, packed.size() - 1});
    if (Error err = kept->add(arguments, memory, loaded.stream()))
      loaded.fail(err, arguments);
  };
  return {ffi::Function::FromPacked(launch), ffi::Function::FromPacked(bytes),
          ffi::Function::FromPacked(add)};
}

/// load(manifest: str, image: bytes, device: int, compiler: [int])
///     -> [remarks, launch, prepare, keep] or, if no step is a hint, the first
///        three
///
/// Loads a program (its manifest, and PTX or a cubin) into a CUDA device.
/// `compiler` is empty or has the addresses that Compiler.h names. Code of
/// ptxas is then kept on disk; the text `remarks` is about that cache.
/// Specializations of kernels that the compiler's program lacks are compiled by
/// the first call that needs one.
///  - launch(arguments...) launches it on the current stream of the device,
///    PyTorch's where the arguments are PyTorch's, and returns without waiting;
///    memory of the arguments must stay until the kernels are done.
///  - prepare(arguments...) does what depends on the sparse operand's indices
///    alone, waits for it, and gives a function like launch that has it. Not
///    while the stream is captured.
///  - keep() gives three functions that share hints (docs/Manifest.md) for
///  calls
///    of one kind: launch(arguments...) -> an Outcome of KeptHints.h;
///    bytes(arguments...) -> int; add(address, arguments...) makes hints for
///    later calls on the current stream, in so many bytes at the address, which
///    stay until the functions are gone. It does not wait. Not while the stream
///    is captured.
static ffi::Array<ffi::Any> load(ffi::String manifest, ffi::Bytes image,
                                 int64_t ordinal,
                                 ffi::Array<int64_t> addresses) {
  // First, for it frees the program that it is given.
  std::optional<python::Compiler> compiler;
  if (!addresses.empty())
    compiler.emplace(addresses);
  const Device &device = openDevice(ordinal);
  std::string_view text(manifest.data(), manifest.size());
  std::string_view code(image.data(), image.size());
  std::string remarks;
  ErrorOr<std::unique_ptr<Program>> opened =
      compiler ? compiler->load(device, text, code, remarks)
               : Program::load(device, text, code);
  if (!opened)
    TVM_FFI_THROW(RuntimeError) << opened.error().message();
  Loaded loaded{&device, std::move(*opened)};
  if (compiler && compiler->lacksVersions())
    loaded.program->setComplete(
        [=, &device] { return compiler->complete(device); });
  auto launch = [loaded](ffi::PackedArgs packed, ffi::Any *) {
    const std::vector<Argument> &arguments = loaded.read(packed);
    if (Error err = loaded.program->launch(arguments, loaded.stream()))
      loaded.fail(err, arguments);
  };
  auto prepareIt = [loaded](ffi::PackedArgs packed, ffi::Any *result) {
    *result = prepare(loaded, packed);
  };
  ffi::Array<ffi::Any> results = {ffi::String(remarks),
                                  ffi::Function::FromPacked(launch),
                                  ffi::Function::FromPacked(prepareIt)};
  const std::vector<runtime::LaunchStep> &steps =
      loaded.program->manifest().steps;
  if (std::any_of(steps.begin(), steps.end(),
                  [](const runtime::LaunchStep &step) { return step.hint; }))
    results.push_back(
        ffi::Function::FromPacked([loaded](ffi::PackedArgs, ffi::Any *result) {
          *result = keepHints(loaded);
        }));
  return results;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load, load);

/// capability(device: int) -> (major, minor)
///
/// The compute capability of a CUDA device.
static ffi::Array<int64_t> capability(int64_t ordinal) {
  const Device &device = openDevice(ordinal);
  return {device.capabilityMajor(), device.capabilityMinor()};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(capability, capability);

/// device_name(device: int) -> str
///
/// The CUDA device as its driver names it.
static ffi::String deviceName(int64_t ordinal) {
  return openDevice(ordinal).name();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(device_name, deviceName);

/// shared_bytes(device: int) -> int
///
/// Most shared memory of a CTA on a CUDA device.
static int64_t sharedBytes(int64_t ordinal) {
  return openDevice(ordinal).maxSharedMemory();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shared_bytes, sharedBytes);

static runtime::Manifest parse(const ffi::String &text) {
  ErrorOr<runtime::Manifest> manifest =
      runtime::parseManifest({text.data(), text.size()});
  if (!manifest)
    TVM_FFI_THROW(RuntimeError) << manifest.error().message();
  return std::move(*manifest);
}

/// set_threads(count: int); follow_threads(function: int)
///
/// As python::setThreads and python::followThreads, of a function's address.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_threads, python::setThreads);
static void followThreads(int64_t function) {
  python::followThreads(reinterpret_cast<int (*)()>(function));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(follow_threads, followThreads);

/// load_host(manifest: str, entry: int, owner: int, free: int, threads: int)
///     -> [launch, launch_checked]
///
/// A program that is compiled for the CPU; `entry` is the address of its
/// runtime::HostEntry, which is there until `free`, the address of a function,
/// is called with `owner`: when the last of the two functions goes, whoever has
/// it. The second checks the contents of index arrays too. `threads`: that it
/// runs on; 0: as many as were set.
static ffi::Array<ffi::Function> loadHost(ffi::String text, int64_t entry,
                                          int64_t program, int64_t free,
                                          int64_t threads) {
  std::shared_ptr<void> owner(reinterpret_cast<void *>(program),
                              reinterpret_cast<void (*)(void *)>(free));
  auto manifest = std::make_shared<const runtime::Manifest>(parse(text));
  auto launch = [=](runtime::ContentCheck contents) {
    auto call = [manifest, contents, entry, owner,
                 threads](ffi::PackedArgs packed, ffi::Any *) {
      const std::vector<Argument> &arguments =
          readArguments(*manifest, packed, DLDevice{kDLCPU, 0});
      if (Error err = checkCall(*manifest, arguments, contents))
        TVM_FFI_THROW(ValueError) << err.message();
      python::WithThreads withThreads(threads);
      callHost(reinterpret_cast<runtime::HostEntry>(entry), *manifest,
               arguments);
    };
    return ffi::Function::FromPacked(call);
  };
  return {launch(runtime::ContentCheck::Off),
          launch(runtime::ContentCheck::On)};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_host, loadHost);

/// checker(manifest: str) -> check
///
/// check(arguments...) throws ValueError where the arguments break a contract,
/// contents of index arrays included. Index arrays are in host memory, the
/// others anywhere.
static ffi::Function checker(ffi::String text) {
  return ffi::Function::FromPacked([manifest = parse(text)](
                                       ffi::PackedArgs packed, ffi::Any *) {
    const std::vector<Argument> &arguments =
        readArguments(manifest, packed, std::nullopt);
    if (Error err = checkCall(manifest, arguments, runtime::ContentCheck::On))
      TVM_FFI_THROW(ValueError) << err.message();
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(checker, checker);

/// explainer(manifest: str, device: int) -> explain
///
/// explain(arguments...) gives, for each kernel that a call would launch, its
/// name, its specialization, "plan" or "", the parameters of its tiles and
/// their origin, and then why it is not the fastest specialization, a sentence
/// each. The arguments may be in any memory. `device` is that of a call, -1 for
/// none.
static ffi::Function explainer(ffi::String text, int64_t ordinal) {
  int64_t count = ordinal < 0 ? 1 : openDevice(ordinal).smCount();
  return ffi::Function::FromPacked(
      [manifest = parse(text), count](ffi::PackedArgs packed,
                                      ffi::Any *result) {
        const std::vector<Argument> &arguments =
            readArguments(manifest, packed, std::nullopt);
        ErrorOr<std::vector<runtime::KernelChoice>> choices =
            explainCall(manifest, arguments, count);
        if (!choices)
          TVM_FFI_THROW(ValueError) << choices.error().message();
        ffi::Array<ffi::Array<ffi::String>> kernels;
        for (const runtime::KernelChoice &choice : *choices) {
          ffi::Array<ffi::String> kernel = {choice.kernel, choice.version,
                                            choice.preprocess ? "plan" : "",
                                            choice.parameters, choice.origin};
          for (const std::string &reason : choice.reasons)
            kernel.push_back(reason);
          kernels.push_back(kernel);
        }
        *result = kernels;
      });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(explainer, explainer);
