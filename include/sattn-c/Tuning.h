/*===- sattn-c/Tuning.h - Tables and searches ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of sattn, under the Apache License v2.0 with LLVM Exceptions.         *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What the choice of an op's parameters is made from, as the pass            *|
|* sattn-inject-meta makes it (docs/MetaTable.md): in microseconds, no program*|
|* is parsed. Texts are as in Compiler.h.                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SATTN_C_TUNING_H
#define SATTN_C_TUNING_H

#include "sattn-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of tuned parameters, as they were when they were read. */
typedef struct sattn_tables sattn_tables;

/* Reads the tables that are searched: the file `path` (null: none), that of the
   environment variable SATTN_META_TABLE, the user's, the shipped one.
   `messages`, if not null, gets what cannot be used of them, a line each
   ("warning: ..."). */
SATTN_C_EXPORT sattn_tables *sattn_tables_read(const char *path,
                                               char **messages);

/* Frees tables; null does nothing. */
SATTN_C_EXPORT void sattn_tables_free(sattn_tables *tables);

/* Adds a table, the text of a file (docs/MetaTable.md), that is searched before
   the others; `name` is its name in messages. Null `tables`: only checks the
   text. Returns 1; or 0 for a text that is no table, which `messages`, if not
   null, gets the reason of ("error: ..."). Rows that cannot be used are left
   out, with a line each in `messages` ("warning: ..."). */
SATTN_C_EXPORT int sattn_tables_add(sattn_tables *tables, const char *text,
                                    const char *name, char **messages);

/* Any number in a place of a pattern of keys. */
#define SATTN_ANY (-1)

/* Which rows sattn_tables_list gives. */
typedef struct sattn_pattern {
  /* As in a table's file; a null or empty `out_dtype` is that of the
     operands. */
  const char *op, *device, *dtype, *out_dtype;
  int64_t version;
  /* In hundredths. */
  int64_t sparsity;
  /* The numbers of a key, flags as 0 or 1, and SATTN_ANY where any does. */
  const int64_t *key;
  size_t count;
  /* Nonzero: rows of the device's own name alone, none of its family. */
  int exact;
} sattn_pattern;

/* The rows that match, as JSON for sattn_text_free: for each table that has
   some, in the order of search, {"parameters": [NAME, ...], "rows": [[KEY,
   VALUES], ...]}. Null where the op is none or has keys of another length, with
   the reason in `messages`, if not null. */
SATTN_C_EXPORT char *sattn_tables_list(const sattn_tables *tables,
                                       const sattn_pattern *pattern,
                                       char **messages);

/* The name that rows of this machine's CPU have in tables, "CPU znver4". */
SATTN_C_EXPORT const char *sattn_host_device(void);

/* A target, and the rows that are searched for it. */
typedef struct sattn_search {
  /* A chip such as "sm_90a", or "cpu". */
  const char *target;
  /* Whose rows are searched, as its driver names it; null: none. */
  const char *device;
  /* Most shared memory of a CTA, in bytes; not read for the CPU. */
  int64_t shared_bytes;
  /* Parameters to take in the place of a row's, "SPLIT_N=4,num_stages=3"; null:
     none. */
  const char *row;
} sattn_search;

/* As #sattn.meta: a tile in elements, and what a schedule is asked for, each of
   which is 0 where nothing is. `is_of_table` is 1 where a table's row gave
   them, 0 where they are the computed default or those of `row`. `cycles` is
   the time of the kernel on a GPU by the cost model, and `dense_ratio` that of
   a dense product by a library over it; 0 where a size is not known, or the op
   has no model or no such product. `is_dense_faster` is 1 where that product is
   clearly faster by this estimate. */
typedef struct sattn_parameters {
  int64_t rows, columns, depth, stages, warps, raster_group, split_k;
  int64_t register_rows, register_vectors, threads;
  int is_of_table, is_dense_faster;
  double cycles, dense_ratio;
} sattn_parameters;

/* A fact of an op, by the name that docs/MetaTable.md lists: of a text, or of a
   number where `text` is null. Whole numbers are exact up to 2^53. Facts that
   are not known are left out. */
typedef struct sattn_fact {
  const char *name, *text;
  double number;
} sattn_fact;

/* Chooses the parameters of an op, by its name, from `count` facts. `tables`
   may be null, and are searched only where a device is named. Writes the
   parameters and returns 1; or returns 0 where the op, a fact or the target is
   none, or the given row cannot be, or fits no tile. `messages`, if not null,
   gets the reason ("error: ..."), or rows that fit no tile ("warning: ..."), a
   line each; it is null where there is nothing to say. */
SATTN_C_EXPORT int sattn_choose(const sattn_tables *tables, const char *op,
                                const sattn_fact *facts, size_t count,
                                const sattn_search *search,
                                sattn_parameters *parameters, char **messages);

#ifdef __cplusplus
}
#endif

#endif /* SATTN_C_TUNING_H */
