//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/BsrAddmm.h"

#include "Tuning.h"

#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn;

static tuning::bsr_addmm::Facts factsOf(const sattn_bsr_addmm &product) {
  tuning::bsr_addmm::Facts facts;
  facts.m = capi::known(product.m);
  facts.n = capi::known(product.n);
  facts.k = capi::known(product.k);
  facts.blockRows = product.block_rows;
  facts.blockColumns = product.block_columns;
  facts.batches = product.batches;
  facts.dtype = product.dtype;
  facts.outDtype = product.out_dtype;
  facts.nnz = capi::known(product.nnz);
  facts.longestRow = capi::known(product.longest_row);
  facts.alpha = product.alpha;
  facts.beta = product.beta;
  facts.sharesColumns = product.shares_columns != 0;
  facts.alongK = product.along_k != 0;
  return facts;
}

static std::string check(const sattn_bsr_addmm *product) {
  if (!product)
    return "expected a product, but got null";
  if (!product->dtype || !product->out_dtype)
    return std::string("expected ") + (product->dtype ? "out_dtype" : "dtype") +
           ", but got null";
  if (!llvm::is_contained(
          {"f16", "bf16", "f32", "f64", "i8", "f8E4M3FN", "f8E5M2"},
          llvm::StringRef(product->dtype)))
    return std::string("expected dtype f16, bf16, f32, f64, i8, f8E4M3FN or "
                       "f8E5M2, but got '") +
           product->dtype + "'";
  return capi::checkSizes({{"block_rows", product->block_rows},
                           {"block_columns", product->block_columns},
                           {"batches", product->batches}});
}

int sattn_choose_bsr_addmm(const sattn_tables *tables,
                           const sattn_bsr_addmm *product,
                           const sattn_search *search,
                           sattn_parameters *parameters, char **messages) {
  return capi::chooseParameters(
      tables, search, parameters, messages, [&] { return check(product); },
      [&](llvm::ArrayRef<meta::Table> searched, const tuning::Search &where) {
        return tuning::bsr_addmm::choose(searched, factsOf(*product), where);
      });
}
