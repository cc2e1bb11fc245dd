//===- Schema.cpp - Tables of flex_attention ----------------------------===//
//
// No table has rows of it yet.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/FlexAttention.h"

sattn::meta::OpSchemas sattn::tuning::getFlexAttentionSchemas() { return {}; }
