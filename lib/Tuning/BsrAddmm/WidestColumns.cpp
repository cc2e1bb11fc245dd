//===- WidestColumns.cpp - Most columns of a tile -------------------------===//
//
// The most columns that registers and one instruction hold.
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Mma.h"
#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

int64_t sattn::tuning::bsr_addmm::widestColumns(const Problem &problem,
                                                int64_t rows, int64_t depth,
                                                const Target &target) {
  // MMAs of 8 bits always have b along K.
  bool isAlongK = problem.alongK || problem.elementBytes == 1;
  return sattn::resources::getWidestColumns(rows, depth, problem.elementBytes,
                                            isAlongK, rows > problem.blockRows,
                                            target);
}
