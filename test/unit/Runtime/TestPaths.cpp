//===- TestPaths.cpp - Where the tests' files are -------------------------===//

#include "TestPaths.h"

const char *const sattn::runtime::kSourceDirectory = SATTN_SOURCE_DIR;
const char *const sattn::runtime::kStubCudaLibrary = STUB_CUDA_LIBRARY;
const char *const sattn::runtime::kStubCudaOldLibrary = STUB_CUDA_OLD_LIBRARY;
