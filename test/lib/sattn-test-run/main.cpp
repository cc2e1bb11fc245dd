//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// sattn-test-run MANIFEST IMAGE ARRAY.npy...: launches a compiled program of
// any op once, and writes every array back to its file. Needs no LLVM.

#include "sattn/Runtime/Npy.h"
#include "sattn/Runtime/Program.h"

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace sattn::runtime;

static ErrorOr<std::string> readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error("expected a file '" + std::string(path) + "', but found none");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

static Error run(const char *manifestPath, const char *imagePath,
                 const std::vector<std::string> &paths) {
  ErrorOr<std::string> manifest = readFile(manifestPath);
  if (!manifest)
    return manifest.takeError();
  ErrorOr<std::string> image = readFile(imagePath);
  if (!image)
    return image.takeError();
  ErrorOr<std::unique_ptr<Device>> device = Device::open(0);
  if (!device)
    return device.takeError();
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(**device, *manifest, *image);
  if (!program)
    return program.takeError();
  ErrorOr<Stream> stream = Stream::create(**device);
  if (!stream)
    return stream.takeError();

  std::vector<NpyArray> arrays;
  std::vector<DeviceBuffer> buffers;
  std::vector<Argument> arguments;
  for (const std::string &path : paths) {
    ErrorOr<NpyArray> array = readNpy(path);
    if (!array)
      return array.takeError();
    ErrorOr<DeviceBuffer> buffer =
        DeviceBuffer::allocate(**device, array->byteSize());
    if (!buffer)
      return buffer.takeError();
    TensorView view = array->view();
    if (Error error = buffer->upload(view.data, array->byteSize()))
      return error;
    view.data = buffer->data();
    arguments.push_back(view);
    arrays.push_back(std::move(*array));
    buffers.push_back(std::move(*buffer));
  }
  if (Error error = (*program)->launch(arguments, stream->handle()))
    return error;
  if (Error error = stream->synchronize())
    return error;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (Error error =
            buffers[i].download(arrays[i].view().data, arrays[i].byteSize()))
      return error;
    if (Error error = writeNpy(paths[i], arrays[i].view()))
      return error;
  }
  return Error::success();
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: sattn-test-run MANIFEST IMAGE ARRAY.npy...\n");
    return 2;
  }
  if (Error error = run(argv[1], argv[2], {argv + 3, argv + argc})) {
    std::fprintf(stderr, "sattn-test-run: error: %s\n",
                 error.message().c_str());
    return 1;
  }
  return 0;
}
