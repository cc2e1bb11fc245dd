/*===- sattn-c/Compiler.h - The compiler as a C library -----------*- C -*-===*\
|*                                                                            *|
|* Part of sattn, under the Apache License v2.0 with LLVM Exceptions.         *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Compiles MLIR with sattn ops. Texts are UTF-8; those that functions return *|
|* end in a null character and belong to the caller, who gives them to        *|
|* sattn_text_free, unless said otherwise. Functions may be called from       *|
|* several threads. A pointer that may not be null, and a number out of its   *|
|* range, are errors like others: a function with `messages` says so there.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SATTN_C_COMPILER_H
#define SATTN_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define SATTN_C_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled function. */
typedef struct sattn_program sattn_program;

/* Options of sattn_compile. */
typedef struct sattn_options {
  /* A chip such as "sm_90a", or "cpu" for the machine that this runs on. */
  const char *target;
  /* The function; null: the only public one. */
  const char *entry;
  /* Options of the pipeline of a chip, such as "schedule=plain"; may be null.
   */
  const char *pipeline;
  /* On the CPU: threads that the program runs on, 0 for as many as LLVM's
     OpenMP runtime offers (one where there is no such runtime). */
  int64_t threads;
} sattn_options;

/* "0.1.0". Static. */
SATTN_C_EXPORT const char *sattn_version(void);

/* Compiles one function of a module, given as text or bytecode. Text may be
   anything that MLIR's own parsers survive (in MLIR 22 a malformed permutation
   of linalg.transpose ends the process), and is refused where it is nested more
   than 256 deep; bytecode is trusted: MLIR's reader checks it only in part, and
   what no compiler wrote may end the process. Returns null where the
   compilation fails. `messages`, if not null, gets what the compiler said, a
   line each ("3:8: error: ..."), remarks and warnings of a success included. A
   program that was compiled before is taken from disk, with what the compiler
   said of it then (sattn-c/Cache.h). */
SATTN_C_EXPORT sattn_program *sattn_compile(const char *source, size_t size,
                                            const sattn_options *options,
                                            char **messages);

/* Frees a program; null does nothing. */
SATTN_C_EXPORT void sattn_program_free(sattn_program *program);

/* JSON that says how to run it (docs/Manifest.md). As long as the program; null
   of a null program. */
SATTN_C_EXPORT const char *sattn_program_manifest(const sattn_program *program);

/* PTX, as long as the program; `size`, if not null, gets its length. Empty on
   the CPU; null of a null program. */
SATTN_C_EXPORT const char *sattn_program_image(const sattn_program *program,
                                               size_t *size);

/* Whether the program was compiled with "versions=tma" and holds for some
   kernel no specialization that takes any strides and alignment, and no copies
   of arguments to memory that TMA takes: calls that need one are refused. */
SATTN_C_EXPORT int sattn_program_lacks_versions(const sattn_program *program);

/* The program for such calls, of the same arguments; null where the compilation
   fails, `messages` as of sattn_compile. */
SATTN_C_EXPORT sattn_program *
sattn_program_complete(const sattn_program *program, char **messages);

/* What ptxas makes of PTX for a chip: a cubin of `cubin_size` bytes, which the
   caller gives to sattn_text_free. ptxas is $SATTN_PTXAS, or found on PATH.
   Returns null where there is none, or where it fails; `messages` as of
   sattn_compile. */
SATTN_C_EXPORT char *sattn_assemble(const char *ptx, size_t size,
                                    const char *chip, size_t *cubin_size,
                                    char **messages);

/* On the CPU: runs the program, with one pointer an argument in the manifest's
   order: to a float (a double, of type f64), or to a pointer to MLIR's memref
   descriptor (pointer, pointer, offset, sizes, strides). Checks nothing. Valid
   as long as the program. */
typedef void (*sattn_entry)(void **arguments);

/* The machine code of a program for the CPU; null for a chip. */
SATTN_C_EXPORT sattn_entry sattn_program_entry(const sattn_program *program);

/* Runs a program for the CPU after checking what the manifest says of the
   arguments, contents of index arrays included. Returns null, or the reason why
   it ran nothing ("argument 'b': expected ..., but got ..."), for
   sattn_text_free. */
SATTN_C_EXPORT char *sattn_program_run(const sattn_program *program,
                                       void **arguments);

/* Runs passes over a module, "sattn-inject-meta{target=cpu}", and returns the
   module as text; null where that fails. Bytecode is trusted and `messages` as
   of sattn_compile. */
SATTN_C_EXPORT char *sattn_run_passes(const char *source, size_t size,
                                      const char *passes, char **messages);

/* Frees a text that this library returned; null does nothing. */
SATTN_C_EXPORT void sattn_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif /* SATTN_C_COMPILER_H */
