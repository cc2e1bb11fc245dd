//===- BsrAddmmErrorsTest.cpp - Operands that do not fit ------------------===//

#include "sattn/Reference/BsrAddmm.h"

#include "TestArray.h"

#include <gtest/gtest.h>

#include <functional>

using namespace sattn::reference;

namespace {

/// A valid problem: 4 x 6 in blocks of 2 x 3, three stored, N = 5, two batches.
struct Valid {
  TestArray crow{DType::I32, {3}, {0, 1, 3}};
  TestArray col{DType::I32, {3}, {1, 0, 1}};
  TestArray values{DType::F16, {3, 2, 3}};
  TestArray b{DType::F16, {2, 6, 5}};
  TestArray input{DType::F16, {4, 5}};
  TestArray left{DType::F16, {4}};
  TestArray right{DType::F32, {5}};
  TestArray out{DType::F32, {2, 4, 5}};

  BsrAddmmOperands operands() {
    return {1,
            1,
            crow.view(),
            col.view(),
            values.view(),
            b.view(),
            input.view(),
            left.view(),
            right.view(),
            out.view()};
  }
};

/// The message after `change`, or "no error".
std::string
errorAfter(const std::function<void(BsrAddmmOperands &, Valid &)> &change) {
  Valid valid;
  BsrAddmmOperands operands = valid.operands();
  change(operands, valid);
  auto result = bsrAddmm(operands);
  return result ? "no error" : result.error().message();
}

TEST(BsrAddmmErrorsTest, TheProblemIsValid) {
  EXPECT_EQ(errorAfter([](BsrAddmmOperands &, Valid &) {}), "no error");
}

TEST(BsrAddmmErrorsTest, Ranks) {
  auto scalar = [](TensorView &view) { view.shape = view.strides = {}; };
  EXPECT_EQ(errorAfter([&](auto &o, auto &) { scalar(o.crow); }),
            "expected crow of rank 1 or more, but got rank 0");
  EXPECT_EQ(errorAfter([&](auto &o, auto &) { scalar(o.col); }),
            "expected col of rank 1 or more, but got rank 0");
  EXPECT_EQ(errorAfter([](auto &o, auto &) {
              o.values.shape = {3, 2};
              o.values.strides = {2, 1};
            }),
            "expected values of rank 3 or more, but got rank 2");
  EXPECT_EQ(errorAfter([&](auto &o, auto &) { scalar(o.b); }),
            "expected b of rank 2 or more, but got rank 0");
  EXPECT_EQ(errorAfter([&](auto &o, auto &) { scalar(*o.left); }),
            "expected left of rank 1 or more, but got rank 0");
  EXPECT_EQ(errorAfter([&](auto &o, auto &) { scalar(o.out); }),
            "expected out of rank 2 or more, but got rank 0");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.b.strides = {1}; }),
            "expected a stride for each of the 3 dimensions of b, but got 1");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.b.shape[1] = -6; }),
            "expected b of no negative extent, but got (2, -6, 5)");
}

TEST(BsrAddmmErrorsTest, Types) {
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.crow.dtype = DType::F32; }),
            "expected crow of type i32 or i64, but got f32");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.col.dtype = DType::I8; }),
            "expected col of type i32 or i64, but got i8");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.values.dtype = DType::I32; }),
            "expected values of a float type or i8, but got i32");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.out.dtype = DType::I32; }),
            "expected out of a float type, but got i32");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.b.dtype = DType::BF16; }),
            "expected b of values' type, f16, but got bf16");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.input->dtype = DType::BF16; }),
            "expected input of values' type, f16, but got bf16");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.left->dtype = DType::BF16; }),
            "expected left of values' type, f16, or f32, but got bf16");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.right->dtype = DType::F64; }),
            "expected right of values' type, f16, or f32, but got f64");
}

TEST(BsrAddmmErrorsTest, Shapes) {
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.values.shape[2] = 0; }),
            "expected values' blocks to be at least 1 x 1, but got 2 x 0");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.col.shape[0] = 2; }),
            "expected col's last extent to be that of values' blocks, 3, but "
            "got 2");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.out.shape[1] = 3; }),
            "expected out's rows to be a multiple of values' block rows, 2, "
            "but got 3");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.crow.shape[0] = 2; }),
            "expected crow's last extent to be one more than out's block rows, "
            "3, but got 2");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.b.shape[1] = 5; }),
            "expected b's rows to be a multiple of values' block columns, 3, "
            "but got 5");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.b.shape[2] = 4; }),
            "expected b's columns to be those of out, 5, but got 4");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.left->shape[0] = 1; }),
            "expected left's last extent to be out's rows, 4, but got 1");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.right->shape[0] = 1; }),
            "expected right's last extent to be out's columns, 5, but got 1");
  EXPECT_EQ(
      errorAfter([](auto &o, auto &) { o.out.shape[0] = int64_t(1) << 60; }),
      "expected out to be of less than 2^60 elements, but got "
      "(1152921504606846976, 4, 5)");
}

TEST(BsrAddmmErrorsTest, Broadcasts) {
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.out.shape[0] = 3; }),
            "expected b's batch dimensions to broadcast to (3) of out, but got "
            "(2)");
  EXPECT_EQ(errorAfter([](auto &o, auto &) {
              o.left->shape = {7, 2, 4};
              o.left->strides = {0, 0, 1};
            }),
            "expected left's batch dimensions to broadcast to (2) of out, but "
            "got (7, 2)");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.input->shape[0] = 2; }),
            "expected input's shape to broadcast to (2, 4, 5) of out, but got "
            "(2, 5)");
}

TEST(BsrAddmmErrorsTest, NullPointers) {
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.values.data = nullptr; }),
            "expected the elements of values, but got a null pointer");
  EXPECT_EQ(errorAfter([](auto &o, auto &) { o.input->data = nullptr; }),
            "expected the elements of input, but got a null pointer");
  EXPECT_EQ(errorAfter([](auto &o, auto &) {
              o.input.reset();
              o.out.data = nullptr;
            }),
            "expected the elements of out, but got a null pointer");
}

TEST(BsrAddmmErrorsTest, Contents) {
  auto crow = [](std::vector<double> offsets) {
    return errorAfter([&](BsrAddmmOperands &o, Valid &v) {
      v.crow = TestArray(DType::I64, {3}, offsets);
      o.crow = v.crow.view();
    });
  };
  EXPECT_EQ(crow({-1, 1, 3}),
            "expected crow[0] in batch (0) to be from 0 to 3, but got -1");
  EXPECT_EQ(crow({0, 2, 1}),
            "expected crow[2] in batch (0) to be from 2 to 3, but got 1");
  EXPECT_EQ(crow({0, 1, 4}),
            "expected crow[2] in batch (0) to be from 1 to 3, but got 4");
  auto col = [](std::vector<double> columns) {
    return errorAfter([&](BsrAddmmOperands &o, Valid &v) {
      v.col = TestArray(DType::I64, {2, 3}, columns);
      o.col = v.col.view();
    });
  };
  EXPECT_EQ(col({0, 0, 0, 0, 0, 2}), "expected col[2] in batch (1) to be from "
                                     "0 to below 2, but got 2");
  EXPECT_EQ(col({0, -1, 0, 0, 0, 0}), "expected col[1] in batch (0) to be from "
                                      "0 to below 2, but got -1");
}

TEST(BsrAddmmErrorsTest, ContentsWithoutBatches) {
  EXPECT_EQ(errorAfter([](auto &o, auto &v) {
              v.crow = TestArray(DType::I32, {3}, {1, 0, 3});
              o.crow = v.crow.view();
              for (TensorView *view : {&o.b, &o.out}) {
                view->shape.erase(view->shape.begin());
                view->strides.erase(view->strides.begin());
              }
            }),
            "expected crow[1] to be from 1 to 3, but got 0");
}

} // namespace
