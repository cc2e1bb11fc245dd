//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/BsrAttention.h"

#include "Tuning.h"

#include "sattn/Tuning/BsrAttention.h"

using namespace sattn;

static tuning::bsr_attention::Facts
factsOf(const sattn_bsr_attention &attention) {
  tuning::bsr_attention::Facts facts;
  facts.headDim = attention.head_dim;
  facts.valueDim = attention.value_dim;
  facts.elementBytes = attention.element_bytes;
  facts.blockQueries = attention.block_rows;
  facts.blockKeys = attention.block_columns;
  facts.areListsShared = attention.shares_mask != 0;
  facts.hasDropout = attention.has_dropout != 0;
  facts.mayHaveParts = true;
  if (std::optional<int64_t> nnz = capi::known(attention.nnz))
    facts.seenBlocks = *nnz * attention.batches;
  facts.longestRow = capi::known(attention.longest_row);
  return facts;
}

static std::string check(const sattn_bsr_attention *attention) {
  if (!attention)
    return "expected an attention, but got null";
  return capi::checkSizes({{"head_dim", attention->head_dim},
                           {"value_dim", attention->value_dim},
                           {"element_bytes", attention->element_bytes},
                           {"block_rows", attention->block_rows},
                           {"block_columns", attention->block_columns},
                           {"batches", attention->batches, 0}});
}

int sattn_choose_bsr_attention(const sattn_tables *tables,
                               const sattn_bsr_attention *attention,
                               const sattn_search *search,
                               sattn_parameters *parameters, char **messages) {
  return capi::chooseParameters(
      tables, search, parameters, messages, [&] { return check(attention); },
      [&](llvm::ArrayRef<meta::Table>, const tuning::Search &where) {
        return tuning::bsr_attention::choose(factsOf(*attention), where);
      });
}
