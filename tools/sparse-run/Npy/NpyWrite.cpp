//===- NpyWrite.cpp - Writing .npy files ----------------------------------===//

#include "Npy.h"
#include "sattn/Runtime/Text.h"

#include "NpyHeader.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace sattn::runtime;

namespace {

/// A new file beside the one that it shall replace, removed unless `commit`
/// succeeds.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &target) : target(target) {
    static std::atomic<unsigned> counter{0};
    // O_EXCL and the counter make it this call's own, in this process and
    // beside others.
    for (int attempt = 0; attempt < 100 && !stream; ++attempt) {
      path = concat(target, ".tmp.", getpid(), ".", counter++);
      int descriptor =
          open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno == EEXIST)
        continue;
      if (descriptor < 0)
        return;
      stream = fdopen(descriptor, "wb");
      if (!stream) {
        close(descriptor);
        unlink(path.c_str());
        return;
      }
    }
  }

  ~TemporaryFile() {
    if (stream)
      fclose(stream);
    if (!committed && stream)
      unlink(path.c_str());
  }

  FILE *get() { return stream; }

  bool commit() {
    if (fflush(stream) != 0 || rename(path.c_str(), target.c_str()) != 0)
      return false;
    committed = true;
    return true;
  }

private:
  std::string target, path;
  FILE *stream = nullptr;
  bool committed = false;
};

std::string headerText(const TensorView &view) {
  std::string text = concat("{'descr': '", npyDescr(view.dtype),
                            "', 'fortran_order': False, 'shape': (");
  for (int64_t extent : view.shape)
    text += std::to_string(extent) + (view.rank() == 1 ? "," : ", ");
  if (view.rank() > 1)
    text.resize(text.size() - 2);
  text += "), }";
  // The data begins at a multiple of 64 bytes, after a newline.
  bool isLong = text.size() + 1 + 10 + 63 > 65535;
  size_t preamble = isLong ? 12 : 10;
  size_t padding = 63 - (preamble + text.size()) % 64;
  text.append(padding, ' ');
  text += '\n';

  std::string header("\x93NUMPY", 6);
  header += isLong ? '\x02' : '\x01';
  header += '\0';
  for (size_t i = 0; i < preamble - 8; ++i)
    header += char(text.size() >> (8 * i) & 0xff);
  return header + text;
}

/// Writes the elements of dimensions `dim` and up, in row-major order.
bool writeElements(FILE *file, const TensorView &view, size_t dim,
                   const char *data) {
  int64_t width = byteWidth(view.dtype);
  if (dim == view.shape.size())
    return fwrite(data, width, 1, file) == 1;
  if (dim + 1 == view.shape.size() && view.strides[dim] == 1)
    return fwrite(data, width, view.shape[dim], file) ==
           size_t(view.shape[dim]);
  for (int64_t i = 0; i < view.shape[dim]; ++i)
    if (!writeElements(file, view, dim + 1,
                       data + i * view.strides[dim] * width))
      return false;
  return true;
}

/// The file that is replaced: a rename would replace a device or a link, not
/// write to it.
ErrorOr<std::string> resolveTarget(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return path;
  if (!std::filesystem::is_regular_file(path, ignored))
    return makeError("'", path, "': expected a regular file");
  std::filesystem::path real = std::filesystem::canonical(path, ignored);
  return real.empty() ? path : real.string();
}

Error failed(const std::string &path, const char *what) {
  return makeError("'", path, "': ", what, ": ", strerror(errno));
}

constexpr const char *noFile = "could not create a file beside it";

} // namespace

Error sattn::runtime::checkNpyPath(const std::string &path) {
  ErrorOr<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeError();
  if (!TemporaryFile(*target).get())
    return failed(path, noFile);
  return Error::success();
}

Error sattn::runtime::writeNpy(const std::string &path,
                               const TensorView &view) {
  if (view.strides.size() != view.shape.size())
    return makeError("'", path, "': expected a view with ", view.shape.size(),
                     " strides, but got ", view.strides.size());
  for (int64_t extent : view.shape)
    if (extent < 0)
      return makeError("'", path, "': expected extents of at least 0, but got ",
                       listText(view.shape));

  ErrorOr<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeError();
  TemporaryFile file(*target);
  if (!file.get())
    return failed(path, noFile);
  std::string header = headerText(view);
  if (fwrite(header.data(), 1, header.size(), file.get()) != header.size())
    return failed(path, "could not write");
  if (view.numElements() > 0 &&
      !writeElements(file.get(), view, 0, static_cast<char *>(view.data)))
    return failed(path, "could not write");
  if (!file.commit())
    return failed(path, "could not write");
  return Error::success();
}
