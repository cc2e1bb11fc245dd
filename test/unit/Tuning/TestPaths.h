//===- TestPaths.h - Where the tests' files are -----------------*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_TUNING_TESTPATHS_H
#define SATTN_TEST_UNIT_TUNING_TESTPATHS_H

namespace sattn::tuning {

// One file is compiled with it, so that the objects of all others are the same
// in every checkout, and ccache's.
extern const char *const kDocsDirectory;

} // namespace sattn::tuning

#endif // SATTN_TEST_UNIT_TUNING_TESTPATHS_H
