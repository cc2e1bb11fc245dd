//===- Npy.cpp - Reading .npy files ---------------------------------------===//

#include "Npy.h"
#include "sattn/Runtime/Text.h"

#include "NpyHeader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>

using namespace sattn::runtime;

namespace {

constexpr std::align_val_t memoryAlignment{64};

struct CloseFile {
  void operator()(FILE *file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

bool readExactly(FILE *file, void *to, size_t bytes) {
  return bytes == 0 || fread(to, 1, bytes, file) == bytes;
}

std::vector<int64_t> columnMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides;
  int64_t running = 1;
  for (int64_t extent : shape) {
    strides.push_back(running);
    if (extent > 1)
      running *= extent;
  }
  return strides;
}

/// The length of the dictionary's text, from the file's first bytes. `size` is
/// the file's; `start` becomes the position of the dictionary.
ErrorOr<int64_t> readPreamble(FILE *file, int64_t size, int64_t &start) {
  // Magic, major and minor version, then the length in 2 or 4 bytes.
  unsigned char bytes[8];
  if (!readExactly(file, bytes, sizeof(bytes)) ||
      memcmp(bytes, "\x93NUMPY", 6) != 0)
    return makeError("expected a .npy file, but its first bytes are not those "
                     "of one");
  int major = bytes[6];
  if (major < 1 || major > 3 || bytes[7] != 0)
    return makeError("expected .npy format 1.0, 2.0 or 3.0, but got ", major,
                     ".", int(bytes[7]));
  int lengthBytes = major == 1 ? 2 : 4;
  unsigned char length[4];
  if (!readExactly(file, length, lengthBytes))
    return makeError("the header is truncated");
  int64_t headerSize = 0;
  for (int i = lengthBytes; i-- > 0;)
    headerSize = headerSize << 8 | length[i];
  start = sizeof(bytes) + lengthBytes;
  if (headerSize > size - start)
    return makeError("the header is truncated: expected ", headerSize,
                     " bytes, but got ", size - start);
  return headerSize;
}

ErrorOr<NpyArray> readOpenFile(FILE *file, int64_t size, int64_t maxBytes) {
  int64_t start = 0;
  ErrorOr<int64_t> headerSize = readPreamble(file, size, start);
  if (!headerSize)
    return headerSize.takeError();
  std::string text(*headerSize, '\0');
  if (!readExactly(file, text.data(), text.size()))
    return makeError("the header is truncated");
  ErrorOr<NpyHeader> header = parseNpyHeader(text);
  if (!header)
    return header.takeError();

  int64_t available = size - start - *headerSize;
  if (header->byteSize > maxBytes)
    return makeError("expected at most ", maxBytes, " bytes of data, but got ",
                     header->byteSize);
  if (header->byteSize > available)
    return makeError("the data is truncated: expected ", header->byteSize,
                     " bytes for shape ", listText(header->shape), " of ",
                     name(header->dtype), ", but got ", available);
  if (header->byteSize < available)
    return makeError("expected ", header->byteSize, " bytes of data for shape ",
                     listText(header->shape), " of ", name(header->dtype),
                     ", but got ", available);

  std::vector<int64_t> strides = header->fortranOrder
                                     ? columnMajorStrides(header->shape)
                                     : rowMajorStrides(header->shape);
  ErrorOr<NpyArray> array =
      NpyArray::allocate(header->dtype, std::move(header->shape),
                         std::move(strides), header->byteSize);
  if (array && !readExactly(file, array->view().data, array->byteSize()))
    return makeError("could not read the data: ", strerror(errno));
  return array;
}

} // namespace

void NpyArray::Release::operator()(std::byte *memory) const {
  ::operator delete(memory, memoryAlignment);
}

ErrorOr<NpyArray> NpyArray::allocate(DType dtype, std::vector<int64_t> shape,
                                     std::vector<int64_t> strides,
                                     int64_t bytes) {
  NpyArray array;
  array.memory.reset(static_cast<std::byte *>(::operator new(
      bytes > 0 ? size_t(bytes) : 1, memoryAlignment, std::nothrow)));
  if (!array.memory)
    return makeError("out of memory: could not allocate ", bytes, " bytes");
  array.bytes = bytes;
  array.array.data = array.memory.get();
  array.array.dtype = dtype;
  array.array.shape = std::move(shape);
  array.array.strides = std::move(strides);
  return array;
}

ErrorOr<NpyArray> sattn::runtime::readNpy(const std::string &path,
                                          int64_t maxBytes) {
  auto inFile = [&path](const std::string &message) {
    return makeError("'", path, "': ", message);
  };
  // To open a pipe would else wait for one who writes to it.
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  File file(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"));
  if (!file)
    return inFile(concat("could not open the file: ", strerror(errno)));
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return inFile(concat("could not inspect the file: ", strerror(errno)));
  if (!S_ISREG(info.st_mode))
    return inFile("expected a regular file");
  ErrorOr<NpyArray> array =
      readOpenFile(file.get(), int64_t(info.st_size), maxBytes);
  if (!array)
    return inFile(array.error().message());
  return array;
}
