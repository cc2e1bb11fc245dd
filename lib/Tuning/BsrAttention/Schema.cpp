//===- Schema.cpp - Tables of bsr_attention -----------------------------===//
//
// No table has rows of it yet.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/BsrAttention.h"

sattn::meta::OpSchemas sattn::tuning::getBsrAttentionSchemas() { return {}; }
