/*===- sattn-c/BsrAddmm.h - Parameters of bsr_addmm ---------------*- C -*-===*\
|*                                                                            *|
|* Part of sattn, under the Apache License v2.0 with LLVM Exceptions.         *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SATTN_C_BSRADDMM_H
#define SATTN_C_BSRADDMM_H

#include "sattn-c/Tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One bsr_addmm: (m x k) times (k x n). */
typedef struct sattn_bsr_addmm {
  /* In elements; -1: not known. */
  int64_t m, n, k;
  /* Of a stored block: at least 1. */
  int64_t block_rows, block_columns;
  /* Stored blocks of one matrix; -1: not known. */
  int64_t nnz;
  /* Of the block row that has most stored blocks; -1: not known. */
  int64_t longest_row;
  /* How many such products there are: at least 1. */
  int64_t batches;
  /* Whether the batches have columns in common, but not offsets: 0 or 1. */
  int64_t shares_columns;
  /* Whether the columns of the k x n factor are contiguous, instead of its
     rows: 0 or 1. */
  int64_t along_k;
  /* Scalars; 1 where they are not known. */
  double alpha, beta;
  /* Element types of the operands and of the result: "f16", "bf16", "f32",
     "f64", or of the operands "i8", "f8E4M3FN" or "f8E5M2". */
  const char *dtype, *out_dtype;
} sattn_bsr_addmm;

/* `tables` may be null, and are searched only where a device is named. Writes
   the parameters and returns 1; or returns 0 where the target is none,
   or the given row cannot be, or fits no tile. `messages`, if not null, gets
   the reason ("error: ..."), or rows that fit no tile ("warning: ..."), a line
   each; it is null where there is nothing to say. */
SATTN_C_EXPORT int sattn_choose_bsr_addmm(const sattn_tables *tables,
                                          const sattn_bsr_addmm *product,
                                          const sattn_search *search,
                                          sattn_parameters *parameters,
                                          char **messages);

#ifdef __cplusplus
}
#endif

#endif /* SATTN_C_BSRADDMM_H */
