//===- TestUtils.h - Shared by the runtime's tests --------------*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_RUNTIME_TESTUTILS_H
#define SATTN_TEST_UNIT_RUNTIME_TESTUTILS_H

#include "sattn/Runtime/Error.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace sattn::runtime {

/// The message of an error; a test that expects one compares it.
inline std::string messageOf(const Error &error) {
  return error ? error.message() : "<success>";
}
template <class T> std::string messageOf(const ErrorOr<T> &value) {
  return messageOf(value.error());
}

inline ::testing::AssertionResult contains(const std::string &text,
                                           const std::string &part) {
  if (text.find(part) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "expected a text with\n  " << part << "\nbut got\n  " << text;
}

/// A directory that is removed with its contents.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "sattn-test-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      directory = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }

  std::string file(const std::string &name) const {
    return (directory / name).string();
  }

  /// The names in the directory.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      names.push_back(entry.path().filename().string());
    return names;
  }

private:
  std::filesystem::path directory;
};

inline std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Sets an environment variable until the end of the scope.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    if (const char *former = std::getenv(name))
      this->former = former;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (former)
      setenv(name, former->c_str(), 1);
    else
      unsetenv(name);
  }
  ScopedVariable(const ScopedVariable &) = delete;
  ScopedVariable &operator=(const ScopedVariable &) = delete;

private:
  const char *name;
  std::optional<std::string> former;
};

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_TESTUTILS_H
