//===- Philox.cpp - Random bits of a place ------------------------------===//

#include "sattn/Reference/Philox.h"

#include <cmath>

std::array<uint32_t, 4>
sattn::reference::philox(std::array<uint32_t, 4> counter,
                         std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0],
             second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

bool sattn::reference::isKept(double probability, int64_t seed, int64_t offset,
                              int64_t batch, int64_t row, int64_t column) {
  std::array<uint32_t, 4> words = philox(
      {uint32_t(column), uint32_t(row), uint32_t(batch), uint32_t(offset)},
      {uint32_t(seed), uint32_t(uint64_t(seed) >> 32)});
  // fmax takes the number beside a NaN.
  double bounded = std::fmin(std::fmax(probability, 0.0), 1.0);
  return (words[0] >> 8) >= bounded * (1 << 24);
}
