//===- TableFile.cpp - Writer of meta tables ------------------------------===//
//
// From a Table to JSON, and changes of files that many processes make.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/TableFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/file.h>
#include <tuple>
#include <unistd.h>

using namespace sattn::meta;
namespace fs = llvm::sys::fs;
using llvm::Error;
using llvm::StringRef;

/// The identity of a section: no two sections of a table share it.
static auto identityOf(const Section &section) {
  return std::tuple(StringRef(section.schema->op), StringRef(section.device),
                    section.version, StringRef(section.dtype),
                    StringRef(section.outDtype), section.sparsity);
}

static void printRow(llvm::raw_ostream &os, const OpSchema &schema,
                     const Row &row) {
  os << "    [[";
  llvm::interleave(
      llvm::zip(schema.keyNames, row.key), os,
      [&](auto entry) {
        auto [name, value] = entry;
        if (OpSchema::isFlag(name))
          os << (value ? "true" : "false");
        else
          os << value;
      },
      ", ");
  os << "], [";
  llvm::interleave(row.values, os, ", ");
  os << "]]";
}

static void printSection(llvm::raw_ostream &os, const Section &section) {
  auto text = [](StringRef name) { return llvm::json::Value(name); };
  os << "  {\"op\": " << text(section.schema->op)
     << ", \"device\": " << text(section.device)
     << ", \"version\": " << section.version
     << ", \"dtype\": " << text(section.dtype);
  if (!section.outDtype.empty())
    os << ", \"out_dtype\": " << text(section.outDtype);
  os << ", \"sparsity\": " << describeSparsity(section.sparsity)
     << ", \"parameters\": [";
  llvm::interleave(
      section.parameters, os, [&](StringRef name) { os << text(name); }, ", ");
  os << "], \"rows\": [\n";
  llvm::interleave(
      section.rows, os,
      [&](const Row &row) { printRow(os, *section.schema, row); }, ",\n");
  os << "\n  ]}";
}

std::string sattn::meta::printTable(const Table &table) {
  llvm::SmallVector<const Section *> sections;
  for (const Section &section : table.sections)
    if (!section.rows.empty())
      sections.push_back(&section);
  llvm::stable_sort(sections, [](const Section *a, const Section *b) {
    return identityOf(*a) < identityOf(*b);
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"format\": \"sattn-meta-table\", \"version\": 1, \"sections\": [\n";
  llvm::interleave(
      sections, os, [&](const Section *one) { printSection(os, *one); }, ",\n");
  os << (sections.empty() ? "" : "\n") << "]}\n";
  return text;
}

/// Adds the names of `other` that rows of a section may leave out, with zeros
/// for its own rows.
static void addLeftOut(Section &section, const Section &other) {
  for (const std::string &name : other.parameters) {
    if (llvm::is_contained(section.parameters, name) ||
        !llvm::is_contained(section.schema->zeroNames, name))
      continue;
    section.parameters.push_back(name);
    for (Row &row : section.rows)
      row.values.push_back(0);
  }
}

/// The row with the values in the order of another section's parameters.
static Row reorder(const Section &section, const Row &row,
                   llvm::ArrayRef<std::string> parameters) {
  Row result{row.key, {}};
  for (StringRef name : parameters)
    result.values.push_back(section.get(row, name).value_or(0));
  return result;
}

Error sattn::meta::mergeSection(Table &table, const Section &section) {
  auto own = llvm::find_if(table.sections, [&](const Section &one) {
    return identityOf(one) == identityOf(section);
  });
  if (own == table.sections.end()) {
    table.sections.push_back(section);
    own = std::prev(table.sections.end());
    own->rows.clear();
  }
  Section merged = *own, added = section;
  addLeftOut(merged, section);
  addLeftOut(added, merged);
  if (!std::is_permutation(merged.parameters.begin(), merged.parameters.end(),
                           added.parameters.begin(), added.parameters.end()))
    return llvm::createStringError(
        "expected rows of " + llvm::join(own->parameters, ", ") +
        ", which those of " + own->describe() + " in " + table.name +
        " have, but got rows of " + llvm::join(section.parameters, ", "));
  *own = std::move(merged);
  for (const Row &row : added.rows) {
    auto place =
        llvm::lower_bound(own->rows, row, [](const Row &a, const Row &b) {
          return a.key < b.key;
        });
    Row ordered = reorder(added, row, own->parameters);
    if (place != own->rows.end() && place->key == row.key)
      *place = std::move(ordered);
    else
      own->rows.insert(place, std::move(ordered));
  }
  return Error::success();
}

/// An error of a file's path.
static Error fileError(StringRef path, const llvm::Twine &reason) {
  return llvm::createStringError("meta table '" + path + "': " + reason);
}

/// Writes a file whole, or leaves what is there.
static Error writeWhole(StringRef path, StringRef text, unsigned mode) {
  llvm::Expected<fs::TempFile> file =
      fs::TempFile::create(path + ".%%%%%%%%.tmp", mode);
  if (!file)
    return fileError(path, "expected a folder to write to, but got: " +
                               llvm::toString(file.takeError()));
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << text;
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  if (!error && fsync(file->FD) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) {
    llvm::consumeError(file->discard());
    return fileError(path, "expected room for " + llvm::Twine(text.size()) +
                               " bytes, but got: " + error.message());
  }
  return file->keep(path);
}

/// The table of a file whose every row is usable; an empty one where there is
/// no file.
static llvm::Expected<Table> loadWhole(StringRef path, OpSchemas schemas) {
  if (!fs::exists(path))
    return Table{path.str(), {}};
  std::vector<std::string> problems;
  llvm::Expected<Table> table = loadTable(path, schemas, problems);
  if (table && !problems.empty())
    return llvm::createStringError(problems.front() +
                                   ", and the file is left as it is");
  return table;
}

std::string sattn::meta::resolveTablePath(StringRef path) {
  llvm::SmallString<128> real;
  return fs::real_path(path, real) ? path.str() : std::string(real);
}

Error sattn::meta::updateTable(StringRef given, OpSchemas schemas,
                               llvm::function_ref<Error(Table &)> change) {
  // Links to a table are names of one file, which has one lock.
  std::string path = resolveTablePath(given);
  fs::file_status status;
  bool exists = !fs::status(path, status);
  if (exists && !fs::is_regular_file(status))
    return fileError(path, "expected a regular file");
  StringRef folder = llvm::sys::path::parent_path(path);
  if (std::error_code error =
          folder.empty() ? std::error_code() : fs::create_directories(folder))
    return fileError(path, "expected a folder to write to, but got: " +
                               error.message());
  int lock;
  if (std::error_code error = fs::openFileForReadWrite(
          path + ".lock", lock, fs::CD_OpenAlways, fs::OF_None))
    return fileError(path, "expected a folder to write to, but got: " +
                               error.message());
  auto close = llvm::make_scope_exit([&] { fs::closeFile(lock); });
  // The kind of lock that Python's part of this library takes, which threads
  // wait for as well; closing releases it.
  while (flock(lock, LOCK_EX) != 0)
    if (errno != EINTR)
      return fileError(path, llvm::Twine("expected a lock, but got: ") +
                                 std::strerror(errno));

  llvm::Expected<Table> table = loadWhole(path, schemas);
  if (!table)
    return table.takeError();
  std::string before = printTable(*table);
  if (Error error = change(*table))
    return error;
  std::string after = printTable(*table);
  if (before == after)
    return Error::success();
  // Nothing is written that a reader would refuse.
  std::vector<std::string> problems;
  llvm::Expected<Table> again = parseTable(after, path, schemas, problems);
  if (!again)
    return again.takeError();
  if (!problems.empty())
    return llvm::createStringError(problems.front() +
                                   ", and the file is left as it is");
  return writeWhole(path, after,
                    exists ? status.permissions()
                           : fs::all_read | fs::owner_write);
}
