//===- Compiler.cpp - Functions of the compiler's library -----------------===//

#include "Compiler.h"

#include <tvm/ffi/error.h>

using namespace sattn;
using python::Compiler;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Program;

Compiler::Compiler(const tvm::ffi::Array<int64_t> &addresses) {
  constexpr int count = 7;
  if (addresses.size() != count)
    TVM_FFI_THROW(TypeError)
        << "expected " << count << " addresses of the compiler, but got "
        << addresses.size();
  int place = 0;
  auto take = [&](auto &function) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(addresses[place++]);
  };
  take(freeText);
  take(findCubin);
  take(freeProgram);
  take(completeProgram);
  take(manifestOf);
  take(imageOf);
  program = own(reinterpret_cast<sattn_program *>(addresses[place]));
}

std::shared_ptr<sattn_program> Compiler::own(sattn_program *owned) const {
  return owned ? std::shared_ptr<sattn_program>(owned, freeProgram) : nullptr;
}

ErrorOr<std::unique_ptr<Program>> Compiler::load(const runtime::Device &device,
                                                 std::string_view manifest,
                                                 std::string_view image,
                                                 std::string &remarks) const {
  size_t size = 0;
  char *messages = nullptr;
  std::shared_ptr<char> code(findCubin(image.data(), image.size(),
                                       device.chip().c_str(), &size, &messages),
                             freeText);
  if (messages)
    remarks += messages;
  freeText(messages);
  return Program::load(device, manifest, image, {code.get(), size});
}

ErrorOr<std::unique_ptr<Program>>
Compiler::complete(const runtime::Device &device) const {
  char *messages = nullptr;
  std::shared_ptr<sattn_program> other =
      own(completeProgram(program.get(), &messages));
  std::shared_ptr<char> text(messages, freeText);
  if (!other)
    return Error(text ? text.get() : "the compiler gave no reason");
  size_t size = 0;
  const char *image = imageOf(other.get(), &size);
  std::string remarks;
  return load(device, manifestOf(other.get()), {image, size}, remarks);
}
