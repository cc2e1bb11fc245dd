//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaExecution.h"

#include "KeptCode.h"

#include "sattn/Pipelines/SAttnToGPU.h"
#include "sattn/Runtime/Program.h"
#include "sattn/Target/Chip.h"
#include "sattn/Target/Manifest.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Device;
using runtime::DeviceBuffer;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Event;
using runtime::Program;
using runtime::Stream;
using runtime::TensorView;

// Members are destroyed in reverse: the device goes last.
struct CudaProgram::State {
  std::unique_ptr<Device> device;
  OwningOpRef<ModuleOp> source;
  std::unique_ptr<Program> program;
  std::optional<Stream> stream;
  std::optional<Event> start, end;
  std::vector<std::optional<DeviceBuffer>> buffers;
  std::vector<runtime::Argument> arguments;
  bool prepares = false;
  std::optional<runtime::Prepared> prepared;
};

CudaProgram::CudaProgram() : state(std::make_unique<State>()) {}
CudaProgram::~CudaProgram() = default;

const std::string &CudaProgram::deviceName() const {
  return state->device->name();
}

namespace {
/// A function compiled for a GPU.
struct Image {
  std::string manifest, ptx;
};
} // namespace

static ErrorOr<Image> translate(ModuleOp module, const std::string &entry,
                                const Device &device, const CudaOptions &wanted,
                                const Problem &problem,
                                KernelVersions versions) {
  SAttnToGPUOptions options;
  options.versions = versions;
  options.schedule =
      wanted.plainSchedule ? GPUSchedule::Plain : GPUSchedule::Specialized;
  options.chip = wanted.chip.empty() ? device.chip() : wanted.chip;
  options.delays = wanted.delays;
  options.precision = wanted.precision;
  options.device = device.name();
  options.metaTable = wanted.metaTable;
  options.sizes = llvm::to_vector(problem.sizes);
  options.sparsity = problem.sparsity;
  if (failed(lookupChip(options.chip, [&] { return module.emitError(); })))
    return Error("no code for " + device.describe());
  PassManager pm(module.getContext());
  buildSAttnToPTXPipeline(pm, options);
  if (failed(pm.run(module)))
    return Error("the program could not be compiled for " + device.describe() +
                 " (" + options.chip + ")");
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  auto manifest = function
                      ? function->getAttrOfType<StringAttr>(kManifestAttrName)
                      : StringAttr();
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  if (!manifest || binaries.size() > 1)
    return Error("function '" + entry + "' has no manifest and one image");
  if (binaries.empty())
    return Image{manifest.str(), ""};
  auto object = cast<gpu::ObjectAttr>(binaries.front().getObjects()[0]);
  return Image{manifest.str(), object.getObject().str()};
}

/// Adds what `translate` depends on beside the module.
static void addOptions(cache::KeyHasher &key, const Device &device,
                       const CudaOptions &wanted, const Problem &problem,
                       KernelVersions versions) {
  key.add(device.name()).add(device.chip()).add(wanted.chip);
  key.add(int64_t(wanted.plainSchedule)).add(wanted.delays);
  key.add(wanted.precision).add(static_cast<int64_t>(versions));
  for (int64_t size : problem.sizes)
    key.add(size);
  key.add(std::to_string(problem.sparsity));
}

ErrorOr<std::unique_ptr<CudaProgram>>
CudaProgram::compile(ModuleOp module, const std::string &entry,
                     const CudaOptions &options, const Problem &problem,
                     bool remarks) {
  std::unique_ptr<CudaProgram> result(new CudaProgram());
  State &state = *result->state;
  ErrorOr<std::unique_ptr<Device>> device =
      Device::open(static_cast<int>(options.device));
  if (!device)
    return device.takeError();
  state.device = std::move(*device);
  state.source = module.clone();
  auto load =
      [=, &device = *state.device](
          ModuleOp module,
          KernelVersions versions) -> ErrorOr<std::unique_ptr<Program>> {
    cache::KeyHasher key = hashModule(module, remarks, options.metaTable);
    addOptions(key, device, options, problem, versions);
    ErrorOr<cache::Entry> image = getOrCompile(
        module, key.add(entry).finish(), [&]() -> ErrorOr<cache::Entry> {
          ErrorOr<Image> image =
              translate(module, entry, device, options, problem, versions);
          if (!image)
            return image.takeError();
          return cache::Entry{image->manifest, image->ptx};
        });
    if (!image)
      return image.takeError();
    std::string code =
        getOrAssemble((*image)[1], device.chip(), [&](const Twine &message) {
          mlir::emitRemark(module.getLoc(), message);
        });
    return Program::load(device, (*image)[0], (*image)[1], code);
  };
  ErrorOr<std::unique_ptr<Program>> program = load(module, KernelVersions::TMA);
  if (!program)
    return program.takeError();
  state.program = std::move(*program);
  // The other versions are compiled if a run needs one.
  state.program->setComplete([load, source = *state.source] {
    return load(source, KernelVersions::All);
  });
  state.prepares = options.prepare;
  ErrorOr<Stream> stream = Stream::create(*state.device);
  if (!stream)
    return stream.takeError();
  state.stream = std::move(*stream);
  for (std::optional<Event> *event : {&state.start, &state.end}) {
    ErrorOr<Event> created = Event::create(*state.device);
    if (!created)
      return created.takeError();
    *event = std::move(*created);
  }
  return result;
}

Error CudaProgram::upload(const Arguments &arguments) {
  state->arguments = arguments.values;
  state->buffers.clear();
  state->buffers.resize(arguments.values.size());
  for (size_t i = 0; i < arguments.values.size(); ++i) {
    if (!arguments.arrays[i])
      continue;
    TensorView view = arguments.arrays[i]->view();
    size_t bytes = arguments.arrays[i]->byteSize();
    ErrorOr<DeviceBuffer> buffer =
        DeviceBuffer::allocate(*state->device, bytes);
    if (!buffer)
      return buffer.takeError();
    if (Error error = buffer->upload(view.data, bytes))
      return error;
    view.data = buffer->data();
    state->arguments[i] = view;
    state->buffers[i] = std::move(*buffer);
  }
  if (!state->prepares)
    return Error::success();
  ErrorOr<runtime::Prepared> prepared =
      state->program->prepare(state->arguments, state->stream->handle());
  if (!prepared)
    return prepared.takeError();
  state->prepared.emplace(std::move(*prepared));
  return Error::success();
}

Error CudaProgram::upload(size_t argument, const runtime::NpyArray &from) {
  return state->buffers[argument]->upload(from.view().data, from.byteSize());
}

ErrorOr<double> CudaProgram::run(int64_t launches) {
  runtime::CUstream stream = state->stream->handle();
  if (Error error = state->start->record(stream))
    return error;
  for (int64_t i = 0; i < launches; ++i) {
    Error launched =
        state->prepared
            ? state->program->launch(*state->prepared, state->arguments, stream)
            : state->program->launch(state->arguments, stream);
    if (launched)
      return launched;
  }
  if (Error error = state->end->record(stream))
    return error;
  if (Error error = state->stream->synchronize())
    return error;
  ErrorOr<float> elapsed =
      Event::elapsedMilliseconds(*state->start, *state->end);
  if (!elapsed)
    return elapsed.takeError();
  return double(*elapsed) / static_cast<double>(launches);
}

Error CudaProgram::download(size_t argument,
                            const runtime::NpyArray &to) const {
  return state->buffers[argument]->download(to.view().data, to.byteSize());
}
