/*===- sattn-c/BsrAttention.h - Parameters of bsr_attention -------*- C -*-===*\
|*                                                                            *|
|* Part of sattn, under the Apache License v2.0 with LLVM Exceptions.         *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SATTN_C_BSRATTENTION_H
#define SATTN_C_BSRATTENTION_H

#include "sattn-c/Tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One bsr_attention. */
typedef struct sattn_bsr_attention {
  /* Columns of q and k, and of v: at least 1. */
  int64_t head_dim, value_dim;
  /* Bytes of an element of q, k and v. */
  int64_t element_bytes;
  /* Of a stored block: at least 1. */
  int64_t block_rows, block_columns;
  /* Stored blocks of one mask; -1: not known. */
  int64_t nnz;
  /* Of the block row that has most stored blocks; -1: not known. */
  int64_t longest_row;
  /* How many such attentions there are: at least 0. */
  int64_t batches;
  /* Whether all heads have the same mask: 0 or 1. */
  int64_t shares_mask;
  /* Whether weights are dropped: 0 or 1. */
  int64_t has_dropout;
} sattn_bsr_attention;

/* Writes the parameters and returns 1; or returns 0 where the target is none,
   or the given row cannot be. `tables` is ignored: no table has rows of it.
   `messages`, if not null, gets the reason ("error: ..."), else null. */
SATTN_C_EXPORT int sattn_choose_bsr_attention(
    const sattn_tables *tables, const sattn_bsr_attention *attention,
    const sattn_search *search, sattn_parameters *parameters, char **messages);

#ifdef __cplusplus
}
#endif

#endif /* SATTN_C_BSRATTENTION_H */
