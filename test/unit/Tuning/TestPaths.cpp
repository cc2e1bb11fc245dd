//===- TestPaths.cpp - Where the tests' files are -------------------------===//

#include "TestPaths.h"

const char *const sattn::tuning::kDocsDirectory = SATTN_DOCS;
