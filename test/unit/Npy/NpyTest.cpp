//===- NpyTest.cpp - Arrays that can be read and written ------------------===//

#include "Npy.h"
#include "TestUtils.h"

#include <csignal>
#include <cstring>
#include <numeric>
#include <sys/resource.h>

using namespace sattn::runtime;

namespace {

/// A file of format `major`.0 with this dictionary and data.
std::string npyBytes(int major, std::string dictionary,
                     const std::string &data) {
  dictionary += '\n';
  std::string bytes = std::string("\x93NUMPY") + char(major) + '\0';
  size_t length = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += char(length >> (8 * i) & 0xff);
  return bytes + dictionary + data;
}

std::string dataOf(const NpyArray &array) {
  return {static_cast<const char *>(array.view().data),
          size_t(array.byteSize())};
}

class NpyTest : public ::testing::Test {
protected:
  TemporaryDirectory directory;
  std::string path = directory.file("array.npy");
};

} // namespace

TEST_F(NpyTest, ReadsWhatNumPyWrites) {
  // numpy.save of numpy.arange(6, dtype='<i4').reshape(2, 3), as NumPy 1.26
  // writes it.
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': "
                       "(2, 3), }";
  header.resize(128 - 10 - 1, ' ');
  int32_t numbers[6];
  std::iota(numbers, numbers + 6, 0);
  std::string data(reinterpret_cast<char *>(numbers), sizeof(numbers));
  writeFile(path, npyBytes(1, header, data));

  ErrorOr<NpyArray> array = readNpy(path);
  ASSERT_TRUE(bool(array)) << messageOf(array);
  EXPECT_EQ(array->dtype(), DType::I32);
  EXPECT_EQ(array->shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array->view().strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(dataOf(*array), data);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array->view().data) % 64, 0u);
}

TEST_F(NpyTest, ReadsEveryVersionAndSpelling) {
  for (int version : {1, 2, 3}) {
    writeFile(path, npyBytes(version,
                             "{ \"shape\":(2,) , 'fortran_order' :False,"
                             "'descr':'<f2'}",
                             "abcd"));
    ErrorOr<NpyArray> array = readNpy(path);
    ASSERT_TRUE(bool(array)) << version << ": " << messageOf(array);
    EXPECT_EQ(array->dtype(), DType::F16);
    EXPECT_EQ(dataOf(*array), "abcd");
  }
}

TEST_F(NpyTest, ReadsEveryType) {
  struct {
    const char *descr;
    DType dtype;
  } types[] = {{"|i1", DType::I8},       {"<i1", DType::I8},
               {"<i4", DType::I32},      {"<i8", DType::I64},
               {"<f2", DType::F16},      {"<f4", DType::F32},
               {"<f8", DType::F64},      {"|V2", DType::BF16},
               {"<V2", DType::BF16},     {"<V1", DType::F8E4M3FN},
               {"|V1", DType::F8E4M3FN}, {"<f1", DType::F8E5M2}};
  for (const auto &type : types) {
    writeFile(path, npyBytes(1,
                             std::string("{'descr': '") + type.descr +
                                 "', 'fortran_order': False, 'shape': ()}",
                             std::string(size_t(byteWidth(type.dtype)), 'x')));
    ErrorOr<NpyArray> array = readNpy(path);
    ASSERT_TRUE(bool(array)) << type.descr << ": " << messageOf(array);
    EXPECT_EQ(array->dtype(), type.dtype) << type.descr;
    EXPECT_TRUE(array->shape().empty());
  }
}

TEST_F(NpyTest, FortranOrderGivesColumnMajorStrides) {
  writeFile(path, npyBytes(1,
                           "{'descr': '|i1', 'fortran_order': True, 'shape': "
                           "(2, 3, 2), }",
                           "abcdefghijkl"));
  ErrorOr<NpyArray> array = readNpy(path);
  ASSERT_TRUE(bool(array)) << messageOf(array);
  EXPECT_EQ(array->view().strides, (std::vector<int64_t>{1, 2, 6}));
}

TEST_F(NpyTest, WritesHeadersLikeNumPy) {
  float numbers[3] = {1, 2, 3};
  ASSERT_FALSE(bool(writeNpy(path, rowMajorView(numbers, DType::F32, {3}))));
  std::string bytes = readFile(path);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': "
                       "(3,), }";
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
  EXPECT_EQ(bytes.substr(10, header.size()), header);
  ASSERT_EQ(bytes.size() % 64, sizeof(numbers));
  EXPECT_EQ(bytes[bytes.size() - sizeof(numbers) - 1], '\n');
  EXPECT_EQ(memcmp(bytes.data() + bytes.size() - sizeof(numbers), numbers,
                   sizeof(numbers)),
            0);

  ASSERT_FALSE(bool(writeNpy(path, rowMajorView(numbers, DType::BF16, {2}))));
  EXPECT_TRUE(contains(readFile(path), "'descr': '|V2'"));
}

TEST_F(NpyTest, RoundTripsShapes) {
  std::string data = "abcdefghijklmnopqrstuvwx";
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {12}, {2, 6}, {2, 3, 2}, {0}, {3, 0, 2}, {1}}) {
    TensorView view = rowMajorView(data.data(), DType::BF16, shape);
    Error err = writeNpy(path, view);
    ASSERT_FALSE(bool(err)) << messageOf(err);
    ErrorOr<NpyArray> array = readNpy(path);
    ASSERT_TRUE(bool(array)) << messageOf(array);
    EXPECT_EQ(array->shape(), shape);
    EXPECT_EQ(array->dtype(), DType::BF16);
    EXPECT_EQ(dataOf(*array), data.substr(0, size_t(view.numElements()) * 2));
  }
}

TEST_F(NpyTest, ByteSizes) {
  EXPECT_EQ(byteSize(DType::F32, {}), 4);
  EXPECT_EQ(byteSize(DType::BF16, {2, 3}), 12);
  EXPECT_EQ(byteSize(DType::I32, {0, (int64_t(1) << 61) - 1}), 0);
  EXPECT_EQ(byteSize(DType::I32, {0, int64_t(1) << 61}), std::nullopt);
  EXPECT_EQ(byteSize(DType::I8, {int64_t(1) << 32, int64_t(1) << 32}),
            std::nullopt);
  TensorView view;
  view.shape = {int64_t(1) << 32, int64_t(1) << 32, 0};
  EXPECT_EQ(view.numElements(), 0);
}

TEST_F(NpyTest, WritesStridedViewsInRowMajorOrder) {
  std::string data = "abcdef";
  TensorView view;
  view.data = data.data();
  view.dtype = DType::I8;
  // The transpose of 2 x 3, its columns backwards.
  view.shape = {3, 2};
  view.strides = {-1, 3};
  view.data = data.data() + 2;
  ASSERT_FALSE(bool(writeNpy(path, view)));
  ErrorOr<NpyArray> array = readNpy(path);
  ASSERT_TRUE(bool(array)) << messageOf(array);
  EXPECT_EQ(dataOf(*array), "cfbead");
}

TEST_F(NpyTest, LongHeadersUseFormat2) {
  std::vector<int64_t> shape(64, 1000000000000000000);
  shape[0] = 0;
  TensorView view;
  view.dtype = DType::F32;
  view.shape = shape;
  view.strides.assign(shape.size(), 0);
  ASSERT_FALSE(bool(writeNpy(path, view)));
  // 64 extents of 19 digits still fit in format 1.0; the boundary is 65535.
  EXPECT_EQ(readFile(path)[6], 1);
  view.shape.assign(4000, 1000000000000000000);
  view.shape[0] = 0;
  view.strides.assign(view.shape.size(), 0);
  ASSERT_FALSE(bool(writeNpy(path, view)));
  std::string bytes = readFile(path);
  EXPECT_EQ(bytes[6], 2);
  EXPECT_EQ(bytes.size() % 64, 0u);
}

TEST_F(NpyTest, WritingReplacesWholeAndLeavesNothingBehind) {
  float number = 1;
  TensorView view = rowMajorView(&number, DType::F32, {1});
  writeFile(path, "old");
  ASSERT_FALSE(bool(writeNpy(path, view)));
  EXPECT_TRUE(bool(readNpy(path)));
  EXPECT_EQ(directory.list(), std::vector<std::string>{"array.npy"});
}

TEST_F(NpyTest, AFailureLeavesTheOldFileAndNothingElse) {
  writeFile(path, "old");
  std::vector<float> numbers(10000);
  // As on a full disk: files end at 1000 bytes.
  rlimit former;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &former), 0);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = {1000, former.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Error err = writeNpy(path, rowMajorView(numbers.data(), DType::F32, {10000}));
  setrlimit(RLIMIT_FSIZE, &former);
  signal(SIGXFSZ, handler);

  EXPECT_TRUE(contains(messageOf(err), "'" + path + "': could not write: "));
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(directory.list(), std::vector<std::string>{"array.npy"});
}

TEST_F(NpyTest, WritingThroughALinkKeepsTheLink) {
  float number = 1;
  std::string link = directory.file("link.npy");
  writeFile(path, "old");
  std::filesystem::create_symlink(path, link);
  ASSERT_FALSE(bool(writeNpy(link, rowMajorView(&number, DType::F32, {1}))));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(bool(readNpy(path)));
}

TEST_F(NpyTest, WritingWhereItCannot) {
  float number = 1;
  TensorView view = rowMajorView(&number, DType::F32, {1});
  std::string absent = directory.file("absent/array.npy");
  EXPECT_TRUE(contains(messageOf(writeNpy(absent, view)),
                       "'" + absent + "': could not create a file beside it"));
  EXPECT_TRUE(contains(messageOf(writeNpy("/dev/null", view)),
                       "'/dev/null': expected a regular file"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  view.strides.clear();
  EXPECT_TRUE(contains(messageOf(writeNpy(path, view)),
                       "expected a view with 1 strides, but got 0"));
  EXPECT_TRUE(directory.list().empty());
}
