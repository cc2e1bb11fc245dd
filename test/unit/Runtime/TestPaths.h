//===- TestPaths.h - Where the tests' files are -----------------*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_RUNTIME_TESTPATHS_H
#define SATTN_TEST_UNIT_RUNTIME_TESTPATHS_H

namespace sattn::runtime {

// One file is compiled with them, so that the objects of all others are the
// same in every checkout, and ccache's.
extern const char *const kSourceDirectory;
extern const char *const kStubCudaLibrary;
extern const char *const kStubCudaOldLibrary;

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_TESTPATHS_H
