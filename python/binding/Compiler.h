//===- Compiler.h - Functions of the compiler's library ---------*- C++ -*-===//
//
// The binding is not linked with libsattn.so: Python passes it the addresses of
// the functions that it calls.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PYTHON_BINDING_COMPILER_H
#define SATTN_PYTHON_BINDING_COMPILER_H

#include "sattn-c/Cache.h"
#include "sattn-c/Compiler.h"
#include "sattn/Runtime/Program.h"

#include <tvm/ffi/container/array.h>

namespace sattn::python {

/// The functions of the compiler's library, and a program that lacks
/// specializations of its kernels, or none.
class Compiler {
public:
  /// `addresses`: of sattn_text_free, sattn_cache_cubin, sattn_program_free,
  /// _complete, _manifest and _image, and of the program, which it frees, or 0.
  explicit Compiler(const tvm::ffi::Array<int64_t> &addresses);

  bool lacksVersions() const { return bool(program); }

  /// Loads a program into a device, as code of ptxas that is kept on disk where
  /// there is a ptxas. Adds remarks on entries of that cache.
  runtime::ErrorOr<std::unique_ptr<runtime::Program>>
  load(const runtime::Device &device, std::string_view manifest,
       std::string_view image, std::string &remarks) const;

  /// Compiles the specializations that the program lacks, and loads them.
  /// Remarks on the cache were told when the program was loaded.
  runtime::ErrorOr<std::unique_ptr<runtime::Program>>
  complete(const runtime::Device &device) const;

private:
  std::shared_ptr<sattn_program> own(sattn_program *owned) const;

  decltype(&sattn_text_free) freeText;
  decltype(&sattn_cache_cubin) findCubin;
  decltype(&sattn_program_free) freeProgram;
  decltype(&sattn_program_complete) completeProgram;
  decltype(&sattn_program_manifest) manifestOf;
  decltype(&sattn_program_image) imageOf;
  std::shared_ptr<sattn_program> program;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_COMPILER_H
