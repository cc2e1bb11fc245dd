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
  take(keepCode);
  take(free);
  take(compile);
  take(manifestOf);
  take(imageOf);
  program = own(reinterpret_cast<sattn_program *>(addresses[place]));
}

std::shared_ptr<sattn_program> Compiler::own(sattn_program *owned) const {
  return owned ? std::shared_ptr<sattn_program>(owned, free) : nullptr;
}

namespace {
/// A call of a LinkFn from C, and its result.
struct Linking {
  const runtime::LinkFn &link;
  std::optional<std::string> code;

  static const char *run(void *context, size_t *size) {
    auto *self = static_cast<Linking *>(context);
    self->code = self->link();
    if (!self->code)
      return nullptr;
    *size = self->code->size();
    return self->code->data();
  }
};
} // namespace

ErrorOr<std::unique_ptr<Program>> Compiler::load(const runtime::Device &device,
                                                 std::string_view manifest,
                                                 std::string_view image,
                                                 std::string &remarks) const {
  auto keep = [&](std::string_view ptx, std::string_view compiler,
                  const runtime::LinkFn &link) -> std::optional<std::string> {
    Linking linking{link, std::nullopt};
    size_t size = 0;
    char *messages = nullptr;
    char *cubin =
        keepCode(ptx.data(), ptx.size(), std::string(compiler).c_str(),
                 Linking::run, &linking, &size, &messages);
    if (messages)
      remarks += messages;
    freeText(messages);
    std::optional<std::string> code;
    if (cubin)
      code.emplace(cubin, size);
    freeText(cubin);
    return code;
  };
  return Program::load(device, manifest, image, keep);
}

ErrorOr<std::unique_ptr<Program>>
Compiler::complete(const runtime::Device &device) const {
  char *messages = nullptr;
  std::shared_ptr<sattn_program> other = own(compile(program.get(), &messages));
  std::shared_ptr<char> text(messages, freeText);
  if (!other)
    return Error(text ? text.get() : "the compiler gave no reason");
  size_t size = 0;
  const char *image = imageOf(other.get(), &size);
  std::string remarks;
  return load(device, manifestOf(other.get()), {image, size}, remarks);
}
