/*===- sattn-c/Cache.h - Compiled programs on disk ----------------*- C -*-===*\
|*                                                                            *|
|* Part of sattn, under the Apache License v2.0 with LLVM Exceptions.         *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* sattn_compile keeps its results in a folder: $SATTN_CACHE_DIR, else        *|
|* $XDG_CACHE_HOME/sattn, else ~/.cache/sattn. SATTN_CACHE=0 keeps none.      *|
|* Code that ptxas makes of PTX may be kept there as well.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SATTN_C_CACHE_H
#define SATTN_C_CACHE_H

#include "sattn-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the cache: of the folder, and of this process. */
typedef struct sattn_cache_info {
  /* Entries of the folder and their size; 0 where it cannot be used. */
  int64_t entries, bytes;
  /* Programs that this process found, and those that it compiled; cubins
     are not counted. */
  int64_t hits, misses;
} sattn_cache_info;

/* The folder, for sattn_text_free; null where nothing is kept. Fills
   `info`, if not null. */
SATTN_C_EXPORT char *sattn_cache_describe(sattn_cache_info *info);

/* Removes all entries of the folder, those of other builds included. */
SATTN_C_EXPORT void sattn_cache_clear(void);

/* The cubin that is kept for PTX of `size` bytes and a chip ("sm_90a"), or that
   ptxas makes, which is then kept. Of several processes that need it at the
   same time one assembles.

   Returns `*cubin_size` bytes for sattn_text_free. Null where nothing is kept,
   where there is no ptxas, and where it refuses the PTX; null, with an error,
   for null in the place of the PTX, the chip or the place for the size.
   `*messages`, if it is not null: remarks on entries that cannot be used, a
   line each, for sattn_text_free. */
SATTN_C_EXPORT char *sattn_cache_cubin(const char *ptx, size_t size,
                                       const char *chip, size_t *cubin_size,
                                       char **messages);

#ifdef __cplusplus
}
#endif

#endif /* SATTN_C_CACHE_H */
