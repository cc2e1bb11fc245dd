//===- NpyMalformedTest.cpp - Files that are not arrays -------------------===//

#include "Npy.h"
#include "TestUtils.h"

#include <sys/stat.h>

using namespace sattn::runtime;

namespace {

std::string withHeader(const std::string &dictionary,
                       const std::string &data = "") {
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += char(dictionary.size() & 0xff);
  bytes += char(dictionary.size() >> 8);
  return bytes + dictionary + data;
}

std::string withDescr(const std::string &descr) {
  return withHeader("{'descr': " + descr +
                    ", 'fortran_order': False, 'shape': (1,)}");
}

std::string withShape(const std::string &shape, const std::string &data = "") {
  return withHeader(
      "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", data);
}

struct Malformed {
  const char *what;
  std::string bytes;
  const char *message;
};

const Malformed malformedFiles[] = {
    {"empty", "", "expected a .npy file"},
    {"magic", "PK\x03\x04 not an array", "expected a .npy file"},
    {"version", std::string("\x93NUMPY\x04\0\0\0", 10),
     "expected .npy format 1.0, 2.0 or 3.0, but got 4.0"},
    {"minor version", std::string("\x93NUMPY\x01\x01\0\0", 10),
     "expected .npy format 1.0, 2.0 or 3.0, but got 1.1"},
    {"no length", std::string("\x93NUMPY\x01\0", 8), "the header is truncated"},
    {"short header", std::string("\x93NUMPY\x01\0\x80\0{'descr'", 18),
     "the header is truncated: expected 128 bytes, but got 8"},
    {"huge header", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14),
     "the header is truncated: expected 4294967295 bytes, but got 2"},
    {"not a dictionary", withHeader("[1, 2]"), "expected a dictionary"},
    {"open dictionary", withHeader("{'descr': '<f4', "), "expected a key"},
    {"open string", withHeader("{'descr"), "expected a key"},
    {"no colon", withHeader("{'descr' '<f4'}"), "expected ':' after a key"},
    {"descr", withDescr("7"), "expected a string as 'descr'"},
    {"order", withHeader("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}"),
     "expected True or False as 'fortran_order'"},
    {"shape not a tuple", withShape("3"), "expected a tuple as 'shape'"},
    {"negative extent", withShape("(-1,)"),
     "expected non-negative integers without zeros before them in 'shape'"},
    {"zeros before an extent", withShape("(0128, 016)"),
     "expected non-negative integers without zeros before them in 'shape'"},
    {"open shape", withShape("(1 2)"), "expected ',' or ')' in 'shape'"},
    {"missing key", withHeader("{'descr': '<f4', 'shape': (1,)}"),
     "expected 'descr', 'fortran_order' and 'shape', each once"},
    {"key twice", withHeader("{'descr': '<f4', 'descr': '<f4'}"), "each once"},
    {"other key", withHeader("{'desc': '<f4'}"), "each once"},
    {"text behind", withShape("(1,)} x"), "nothing after the dictionary"},
    {"big-endian", withDescr("'>f4'"),
     "expected a little-endian dtype, but got '>f4'"},
    {"objects", withDescr("'|O'"),
     "expected a numeric dtype, but got objects ('|O')"},
    {"structured", withDescr("[('x', '<f4'), ('y', '<i4')]"),
     "expected a plain dtype, but got a structured one"},
    {"unsigned", withDescr("'<u4'"),
     "expected dtype f1 (f8E5M2), f2, f4, f8, i1, i4, i8, V1 (f8E4M3FN) or V2 "
     "(bf16), but got '<u4'"},
    {"complex", withDescr("'<c8'"), "but got '<c8'"},
    {"void of 4", withDescr("'|V4'"), "but got '|V4'"},
    {"extent overflows", withShape("(99999999999999999999,)"),
     "expected extents below 2^63, but got 99999999999999999999"},
    {"size overflows", withShape("(4294967296, 4294967296)"),
     "expected an array of less than 2^63 bytes, but got shape [4294967296, "
     "4294967296]"},
    {"size overflows beside 0", withShape("(0, 4294967296, 4294967296)"),
     "expected an array of less than 2^63 bytes"},
    {"short data", withShape("(3,)", "12345678"),
     "the data is truncated: expected 12 bytes for shape [3] of f32, but got "
     "8"},
    {"no data", withShape("(1000000000000,)"), "the data is truncated"},
    {"long data", withShape("(1,)", "12345"),
     "expected 4 bytes of data for shape [1] of f32, but got 5"},
};

} // namespace

TEST(NpyMalformed, EachHasItsDiagnostic) {
  TemporaryDirectory directory;
  std::string path = directory.file("bad.npy");
  for (const Malformed &file : malformedFiles) {
    writeFile(path, file.bytes);
    ErrorOr<NpyArray> array = readNpy(path, int64_t(1) << 62);
    EXPECT_FALSE(bool(array)) << file.what;
    EXPECT_TRUE(contains(messageOf(array), file.message)) << file.what;
    EXPECT_EQ(messageOf(array).find("'" + path + "': "), 0u) << file.what;
  }
}

TEST(NpyMalformed, TooManyDimensions) {
  TemporaryDirectory directory;
  std::string path = directory.file("deep.npy");
  std::string shape = "(";
  for (int i = 0; i < 65; ++i)
    shape += "1, ";
  writeFile(path, withShape(shape + ")", "1234"));
  EXPECT_TRUE(contains(messageOf(readNpy(path)), "at most 64 dimensions"));
}

TEST(NpyMalformed, LargerThanTheLimit) {
  TemporaryDirectory directory;
  std::string path = directory.file("large.npy");
  writeFile(path, withShape("(1000000000000,)"));
  EXPECT_TRUE(contains(messageOf(readNpy(path)),
                       "expected at most 1099511627776 bytes of data, but got "
                       "4000000000000"));
  writeFile(path, withShape("(2,)", "12345678"));
  EXPECT_FALSE(bool(readNpy(path, 7)));
  EXPECT_TRUE(bool(readNpy(path, 8)));
}

TEST(NpyMalformed, NotAFileThatCanBeRead) {
  TemporaryDirectory directory;
  std::string absent = directory.file("absent.npy");
  EXPECT_TRUE(contains(messageOf(readNpy(absent)),
                       "'" + absent + "': could not open the file: "));
  EXPECT_TRUE(contains(messageOf(readNpy(directory.file("."))),
                       "expected a regular file"));
  // A pipe that nobody writes to.
  std::string pipe = directory.file("pipe.npy");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(contains(messageOf(readNpy(pipe)), "expected a regular file"));
}

TEST(NpyMalformed, EveryPrefixOfAFileIsRefused) {
  TemporaryDirectory directory;
  std::string path = directory.file("prefix.npy");
  std::string whole = withShape("(2,)", "12345678");
  for (size_t length = 0; length < whole.size(); ++length) {
    writeFile(path, whole.substr(0, length));
    EXPECT_FALSE(bool(readNpy(path))) << length;
  }
  writeFile(path, whole);
  EXPECT_TRUE(bool(readNpy(path)));
}
