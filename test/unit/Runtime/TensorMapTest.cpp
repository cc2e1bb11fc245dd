//===- TensorMapTest.cpp --------------------------------------------------===//

#include "sattn/Runtime/TensorMap.h"
#include "StubCuda.h"

#include <cstring>

using namespace sattn::runtime;

namespace {

TensorView bf16View(uintptr_t address, std::vector<int64_t> shape,
                    std::vector<int64_t> strides) {
  TensorView view;
  view.data = reinterpret_cast<void *>(address);
  view.dtype = DType::BF16;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

std::string messageFor(uintptr_t address, std::vector<int64_t> shape,
                       std::vector<int64_t> strides,
                       std::vector<int64_t> box = {64, 64}) {
  return messageOf(describeTensorMap(
      "argument 'b'", bf16View(address, std::move(shape), std::move(strides)),
      box, 128));
}

} // namespace

TEST(TensorMap, DimensionsInnermostFirst) {
  ErrorOr<TensorMapFields> fields = describeTensorMap(
      "argument 'b'", bf16View(0x1000, {5, 96, 40}, {9600, 48, 1}),
      {1, 128, 64}, 128);
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  EXPECT_EQ(fields->dataType, 9);
  EXPECT_EQ(fields->rank, 3u);
  EXPECT_EQ(fields->address, reinterpret_cast<void *>(0x1000));
  EXPECT_EQ(std::vector<uint64_t>(fields->extents, fields->extents + 3),
            (std::vector<uint64_t>{40, 96, 5}));
  EXPECT_EQ(std::vector<uint64_t>(fields->strides, fields->strides + 2),
            (std::vector<uint64_t>{96, 19200}));
  EXPECT_EQ(std::vector<uint32_t>(fields->box, fields->box + 3),
            (std::vector<uint32_t>{64, 128, 1}));
  EXPECT_EQ(fields->swizzle, 3);
}

TEST(TensorMap, TypesAndSwizzles) {
  struct {
    DType dtype;
    int number;
  } types[] = {{DType::I8, 0},   {DType::I32, 3},      {DType::I64, 5},
               {DType::F16, 6},  {DType::F32, 7},      {DType::F64, 8},
               {DType::BF16, 9}, {DType::F8E4M3FN, 0}, {DType::F8E5M2, 0}};
  for (const auto &type : types) {
    TensorView view = bf16View(0x1000, {64}, {1});
    view.dtype = type.dtype;
    ErrorOr<TensorMapFields> fields =
        describeTensorMap("argument 'b'", view, {16}, 0);
    ASSERT_TRUE(bool(fields)) << messageOf(fields);
    EXPECT_EQ(fields->dataType, type.number);
  }
  int number = 0;
  for (int64_t swizzle : {0, 32, 64, 128}) {
    ErrorOr<TensorMapFields> fields = describeTensorMap(
        "argument 'b'", bf16View(0x1000, {64}, {1}), {16}, swizzle);
    ASSERT_TRUE(bool(fields)) << messageOf(fields);
    EXPECT_EQ(fields->swizzle, number++);
  }
}

TEST(TensorMap, EachRequirement) {
  EXPECT_EQ(messageFor(0x1008, {96, 40}, {40, 1}),
            "argument 'b': expected data aligned to 16 bytes for its tensor "
            "map, but got an address that is 8 past a multiple");
  EXPECT_EQ(
      messageFor(0x1000, {96, 40}, {80, 2}),
      "argument 'b': expected the innermost stride to be 1 for its tensor "
      "map, but got 2");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {41, 1}),
            "argument 'b': expected stride 0 to be a multiple of 16 bytes for "
            "its tensor map, but got 41 elements of 2 bytes");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {-40, 1}),
            "argument 'b': expected stride 0 to be at least 0 for its tensor "
            "map, but got -40 elements of 2 bytes");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {int64_t(1) << 39, 1}),
            "argument 'b': expected stride 0 to be below 2^40 bytes for its "
            "tensor map, but got 549755813888 elements of 2 bytes");
  EXPECT_TRUE(contains(messageFor(0x1000, {96, 40}, {int64_t(1) << 62, 1}),
                       "below 2^40 bytes"));
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {(int64_t(1) << 39) - 8, 1}),
            "<success>");
  EXPECT_EQ(messageFor(0x1000, {int64_t(1) << 32, 40}, {40, 1}),
            "argument 'b': expected extents in [0, 2^32) for its tensor map, "
            "but got 4294967296 in dimension 0");
  EXPECT_EQ(messageFor(0x1000, {(int64_t(1) << 32) - 1, 40}, {40, 1}),
            "<success>");
}

TEST(TensorMap, EachRequirementOfTheBox) {
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {40, 1}, {64}),
            "argument 'b': expected a box of 2 extents, but got [64]");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {40, 1}, {257, 64}),
            "argument 'b': expected a box of extents in [1, 256], but got "
            "[257, 64]");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {40, 1}, {64, 12}),
            "argument 'b': expected a box whose rows are a multiple of 16 "
            "bytes, but got 24 bytes");
  EXPECT_EQ(messageFor(0x1000, {96, 40}, {40, 1}, {64, 72}),
            "argument 'b': expected a box whose rows are at most the swizzle's "
            "128 bytes, but got 144 bytes");
  EXPECT_EQ(messageFor(0x1000, {}, {}, {}),
            "argument 'b': expected a tensor of rank 1 to 5 for a tensor map, "
            "but got rank 0");
  EXPECT_TRUE(contains(messageFor(0x1000, {1, 1, 1, 1, 1, 1},
                                  {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 8}),
                       "but got rank 6"));
}

TEST(TensorMap, PackedRows) {
  auto describe = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return describeTensorMap(
        "argument 'a'", bf16View(0x1000, std::move(shape), std::move(strides)),
        {1, 4, 64}, 128, /*packed=*/true);
  };
  // Blocks of 16 x 16, with a gap between two: 4 rows of 128 bytes each.
  ErrorOr<TensorMapFields> fields = describe({5, 16, 16}, {512, 16, 1});
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  EXPECT_EQ(std::vector<uint64_t>(fields->extents, fields->extents + 3),
            (std::vector<uint64_t>{64, 4, 5}));
  EXPECT_EQ(std::vector<uint64_t>(fields->strides, fields->strides + 2),
            (std::vector<uint64_t>{128, 1024}));
  EXPECT_EQ(std::vector<uint32_t>(fields->box, fields->box + 3),
            (std::vector<uint32_t>{64, 4, 1}));
  EXPECT_EQ(messageOf(describe({5, 16, 16}, {512, 32, 1})),
            "argument 'a': expected rows of 16 elements one after another for "
            "its packed tensor map, but got strides [512, 32, 1]");
  EXPECT_TRUE(contains(messageOf(describe({5, 16, 16}, {512, 1, 16})),
                       "one after another"));
  EXPECT_EQ(messageOf(describe({5, 8, 24}, {192, 24, 1})), "<success>");
  EXPECT_EQ(messageOf(describe({5, 8, 20}, {160, 20, 1})),
            "argument 'a': expected whole rows of 64 elements for its packed "
            "tensor map, but got 160 elements");
}

TEST(TensorMap, UnitAndEmptyDimensionsMayHaveAnyStride) {
  // Strides of dimensions that have at most one index, innermost too.
  ErrorOr<TensorMapFields> fields = describeTensorMap(
      "argument 'b'", bf16View(0x1000, {0, 1, 1}, {-7, 3, 9}), {1, 8, 64}, 128);
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(fields->extents[i], 1u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(fields->strides[i], 0u);
    EXPECT_EQ(fields->strides[i] % 16, 0u);
  }
  // A row of 41 elements takes 82 bytes, so the next multiple is 96.
  fields = describeTensorMap("argument 'b'", bf16View(0x1000, {1, 41}, {0, 1}),
                             {1, 64}, 128);
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  EXPECT_EQ(fields->strides[0], 96u);
}

TEST(TensorMap, StridesOfNothingMayBeAny) {
  // Rows of 448 without columns, one element after another.
  ErrorOr<TensorMapFields> fields = describeTensorMap(
      "scratch[0]", bf16View(0x1000, {448, 0}, {1, 1}), {64, 64}, 128);
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  EXPECT_EQ(std::vector<uint64_t>(fields->extents, fields->extents + 2),
            (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(fields->strides[0], 16u);
}

TEST_F(StubCudaTest, EncodesWithTheDriver) {
  ErrorOr<TensorMapFields> fields = describeTensorMap(
      "argument 'b'", bf16View(0x1000, {96, 40}, {48, 1}), {32, 64}, 128);
  ASSERT_TRUE(bool(fields)) << messageOf(fields);
  ErrorOr<TensorMap> map =
      encodeTensorMap(device->driver(), "argument 'b'", *fields);
  ASSERT_TRUE(bool(map)) << messageOf(map);
  uint64_t words[16];
  memcpy(words, map->bytes, sizeof(words));
  EXPECT_EQ(words[0], 0x1000u);
  // bf16, rank 2, 128-byte swizzle, 256-byte promotion.
  EXPECT_EQ(words[1], 9u | 2u << 8 | 3u << 16 | 3u << 24);
  EXPECT_EQ(words[2], 40u);
  EXPECT_EQ(words[3], 96u);
  EXPECT_EQ(words[7], 96u);
  EXPECT_EQ(words[11], 64u | uint64_t(32) << 32);

  ScopedVariable fail("STUB_CUDA_FAIL", "cuTensorMapEncodeTiled:1");
  EXPECT_TRUE(contains(
      messageOf(encodeTensorMap(device->driver(), "argument 'b'", *fields)),
      "argument 'b': cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE"));
  // Without an address there is nothing to describe.
  fields->address = nullptr;
  EXPECT_TRUE(bool(encodeTensorMap(device->driver(), "argument 'b'", *fields)));
}

TEST_F(StubCudaTest, CacheKeepsMapsAndIsBounded) {
  TensorMapCache cache;
  auto get = [&](size_t index) {
    ErrorOr<TensorMapFields> fields = describeTensorMap(
        "argument 'b'", bf16View(0x1000 + 16 * index, {96, 40}, {48, 1}),
        {32, 64}, 128);
    ErrorOr<TensorMap> map =
        cache.get(device->driver(), "argument 'b'", *fields);
    ASSERT_TRUE(bool(map)) << messageOf(map);
    uint64_t address;
    memcpy(&address, map->bytes, sizeof(address));
    EXPECT_EQ(address, 0x1000 + 16 * index);
  };
  get(0);
  get(0);
  EXPECT_EQ(logged("tensor-map").size(), 1u);
  for (size_t i = 1; i < TensorMapCache::capacity; ++i)
    get(i);
  get(0);
  EXPECT_EQ(logged("tensor-map").size(), TensorMapCache::capacity);
  // One more replaces the oldest alone.
  get(TensorMapCache::capacity);
  get(1);
  EXPECT_EQ(logged("tensor-map").size(), TensorMapCache::capacity + 1);
  get(0);
  EXPECT_EQ(logged("tensor-map").size(), TensorMapCache::capacity + 2);
  // The last map took the place of the second oldest, not of the newest.
  get(TensorMapCache::capacity);
  EXPECT_EQ(logged("tensor-map").size(), TensorMapCache::capacity + 2);
}
