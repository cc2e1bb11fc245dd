//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningFacts.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

/// The number up to which numbers of facts are exact; a larger size is as good
/// as this one.
static constexpr int64_t kMostExact = int64_t(1) << 53;

void TuningFacts::add(llvm::StringLiteral name, int64_t number) {
  addNumber(name, static_cast<double>(std::min(number, kMostExact)));
}

void TuningFacts::add(llvm::StringLiteral name, std::optional<int64_t> number) {
  if (number)
    add(name, *number);
}

void TuningFacts::addNumber(llvm::StringLiteral name, double number) {
  facts.push_back({name, std::nullopt, number});
}

void TuningFacts::addFlag(llvm::StringLiteral name, bool isSet) {
  if (isSet)
    add(name, int64_t(1));
}

void TuningFacts::addSize(llvm::StringLiteral name, int64_t size,
                          std::optional<int64_t> hint) {
  add(name, ShapedType::isDynamic(size) ? hint : std::optional<int64_t>(size));
}

void TuningFacts::addProduct(llvm::StringLiteral name,
                             llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (mlir::ShapedType::isDynamic(size) ||
        llvm::MulOverflow(product, size, product))
      return;
  add(name, product);
}

void TuningFacts::addType(llvm::StringLiteral name, Type type) {
  llvm::StringLiteral text =
      llvm::TypeSwitch<Type, llvm::StringLiteral>(type)
          .Case<Float16Type>([](auto) { return llvm::StringLiteral("f16"); })
          .Case<BFloat16Type>([](auto) { return llvm::StringLiteral("bf16"); })
          .Case<Float32Type>([](auto) { return llvm::StringLiteral("f32"); })
          .Case<Float64Type>([](auto) { return llvm::StringLiteral("f64"); })
          .Case<Float8E4M3FNType>(
              [](auto) { return llvm::StringLiteral("f8E4M3FN"); })
          .Case<Float8E5M2Type>(
              [](auto) { return llvm::StringLiteral("f8E5M2"); })
          .Case<IntegerType>([](IntegerType integer) {
            return integer.getWidth() == 8 ? llvm::StringLiteral("i8")
                                           : llvm::StringLiteral("i32");
          })
          .Default([](Type) { return llvm::StringLiteral(""); });
  if (text.empty())
    return;
  facts.push_back({name, StringRef(text), 0});
}
