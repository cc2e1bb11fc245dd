/* Compiles a block-sparse product for the CPU by the C library, and runs it on
   arrays of the program's own. Then compiles it to PTX. */

#include "sattn-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* out = A b, with blocks of 8 x 8. */
static const char *source =
    "func.func @multiply(%crow: tensor<?xi32>, %col: tensor<?xi32>,\n"
    "                    %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,\n"
    "                    %out: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %alpha = arith.constant 1.0 : f32\n"
    "  %beta = arith.constant 0.0 : f32\n"
    "  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)\n"
    "      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,\n"
    "          tensor<?x8x8xf32>, tensor<?x?xf32>)\n"
    "      outs(%out : tensor<?x?xf32>) {precision = \"tf32\"}\n"
    "      -> tensor<?x?xf32>\n"
    "  return %0 : tensor<?x?xf32>\n"
    "}\n";

/* MLIR's descriptors of memrefs. */
typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
} Vector;
typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;
typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizes[3], strides[3];
} Blocks;

static sattn_program *compile(const char *target, const char *pipeline) {
  sattn_options options = {target, NULL, pipeline, 0};
  char *messages = NULL;
  sattn_program *program =
      sattn_compile(source, strlen(source), &options, &messages);
  if (!program) {
    fprintf(stderr, "multiply: error: %s\n", messages);
    exit(1);
  }
  sattn_text_free(messages);
  return program;
}

int main(void) {
  /* 16 x 24: block row 0 stores block column 2, block row 1 stores 0 and 1.
     All elements of the first block are 1, of the second 2, of the third 3. */
  int32_t crow[] = {0, 1, 3}, col[] = {2, 0, 1};
  float values[3 * 8 * 8], b[24 * 4], out[16 * 4];
  for (int i = 0; i < 3 * 8 * 8; ++i)
    values[i] = (float)(i / 64 + 1);
  for (int i = 0; i < 24 * 4; ++i)
    b[i] = (float)(i % 4);

  Vector crowView = {crow, crow, 0, {3}, {1}},
         colView = {col, col, 0, {3}, {1}};
  Blocks valuesView = {values, values, 0, {3, 8, 8}, {64, 8, 1}};
  Matrix bView = {b, b, 0, {24, 4}, {4, 1}};
  Matrix outView = {out, out, 0, {16, 4}, {4, 1}};
  /* One pointer an argument, to a pointer to its descriptor. */
  void *views[] = {&crowView, &colView, &valuesView, &bView, &outView};
  void *arguments[5];
  for (int i = 0; i < 5; ++i)
    arguments[i] = &views[i];

  printf("sattn %s\n", sattn_version());
  sattn_program *program = compile("cpu", NULL);
  sattn_program_entry(program)(arguments);
  sattn_program_free(program);
  for (int row = 0; row < 16; row += 8)
    printf("rows %d to %d: %g %g %g %g\n", row, row + 7, out[row * 4],
           out[row * 4 + 1], out[row * 4 + 2], out[row * 4 + 3]);

  size_t size;
  program = compile("sm_90a", NULL);
  sattn_program_image(program, &size);
  printf("PTX for sm_90a: %s, manifest: %s\n", size ? "yes" : "no",
         *sattn_program_manifest(program) ? "yes" : "no");
  sattn_program_free(program);
  /* Each of the 8 columns of a block adds its value times b's. */
  return out[1] == 8 && out[33] == 40 ? 0 : 1;
}
