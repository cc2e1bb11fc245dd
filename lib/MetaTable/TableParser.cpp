//===- TableParser.cpp - Reader of meta tables ----------------------------===//
//
// From JSON to a Table. Whatever a file holds, the result is a table, problems
// with single rows, or an error.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/MetaTable.h"

#include "sattn/Support/Json.h"
#include "sattn/Support/RegularFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace sattn::meta;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static constexpr StringRef kFormat = "sattn-meta-table";
static constexpr int64_t kVersion = 1;
/// Largest size of a matrix and largest parameter that a row may hold, so that
/// arithmetic with them cannot overflow.
static constexpr int64_t kMaxSize = int64_t(1) << 40;
static constexpr int64_t kMaxParameter = int64_t(1) << 16;

/// Problems of rows that are told, at most: a table may have a million.
static constexpr size_t kMaxProblems = 20;

/// A key that an object of a JSON text has twice; llvm::json keeps the last of
/// the two in silence.
static std::optional<std::string> findRepeatedKey(StringRef text) {
  std::optional<std::string> found;
  std::vector<llvm::StringSet<>> keys;
  StringRef last;
  sattn::scanJson(text, [&](char c, StringRef token) {
    if (c == '"') {
      last = token;
    } else if (c == '[' || c == '{') {
      keys.emplace_back();
    } else if (c == ']' || c == '}') {
      keys.pop_back();
    } else if (c == ':') {
      // As it is meant: a key may be written with escapes.
      std::string key = llvm::cantFail(json::parse(last)).getAsString()->str();
      if (!keys.back().insert(key).second)
        found = key;
    }
  });
  return found;
}

static StringRef kindName(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "an array";
  case json::Value::Object:
    return "an object";
  }
  llvm_unreachable("all kinds are listed");
}

/// A value in a message: as it is where it is short, else its kind.
static std::string show(const json::Value *value) {
  if (!value)
    return "nothing";
  if (value->getAsArray() || value->getAsObject())
    return kindName(*value).str();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << *value;
  return text.size() <= 60 ? text : kindName(*value).str();
}

namespace {
class TableParser {
public:
  TableParser(StringRef name, OpSchemas schemas,
              std::vector<std::string> &problems)
      : prefix(("meta table '" + name + "': ").str()), schemas(schemas),
        problems(problems) {}

  Error parse(StringRef text, std::vector<Section> &sections);

private:
  std::string prefix;
  OpSchemas schemas;
  std::vector<std::string> &problems;
  size_t unusedRows = 0;

  Error error(const Twine &message) {
    return llvm::createStringError(prefix + message);
  }
  Error expected(const Twine &what, const json::Value *got) {
    return error("expected " + what + ", but got " + show(got));
  }

  Error checkMembers(const json::Object &object, StringRef where,
                     llvm::ArrayRef<StringRef> known);
  Error parseSection(const json::Value &value, size_t index, Section &section);
  Error parseParameters(const json::Object &object, StringRef where,
                        Section &section);
  Error parseRow(const json::Value &value, Section &section);
  Error parseNumbers(const json::Value &value, const Twine &where,
                     llvm::ArrayRef<StringRef> names,
                     llvm::SmallVectorImpl<int64_t> &numbers);
};
} // namespace

std::string sattn::meta::parametersProblem(const Section &section) {
  const OpSchema &schema = *section.schema;
  for (auto [index, name] : llvm::enumerate(section.parameters)) {
    if (!llvm::is_contained(schema.parameterNames, name))
      return "expected parameters out of " +
             llvm::join(schema.parameterNames, ", ") + ", but got " + name;
    if (llvm::is_contained(llvm::ArrayRef(section.parameters).take_front(index),
                           name))
      return "expected different parameters, but got " + name + " twice";
  }
  return schema.parametersProblem ? schema.parametersProblem(section.parameters)
                                  : "";
}

std::string sattn::meta::rowProblem(const Section &section, const Row &row) {
  const OpSchema &schema = *section.schema;
  auto getLeast = [&](StringRef name) {
    return llvm::is_contained(schema.zeroNames, name) ? 0 : 1;
  };
  auto isOutside = [](int64_t value, int64_t least, int64_t most) {
    return value < least || value > most;
  };
  auto describe = [](StringRef name, int64_t value, int64_t least,
                     int64_t most) {
    return ("expected " + name + " from " + Twine(least) + " to " +
            Twine(most) + ", but got " + Twine(value))
        .str();
  };
  for (auto [name, value] : llvm::zip(schema.keyNames, row.key))
    if (!OpSchema::isFlag(name) && isOutside(value, getLeast(name), kMaxSize))
      return describe(name, value, getLeast(name), kMaxSize);
  for (auto [name, value] : llvm::zip(section.parameters, row.values)) {
    std::optional<int64_t> own;
    if (schema.mostOf)
      own = schema.mostOf(name, row.key);
    int64_t most = own.value_or(kMaxParameter);
    if (isOutside(value, getLeast(name), most))
      return describe(name, value, getLeast(name), most);
  }
  return schema.rowProblem ? schema.rowProblem(section, row) : "";
}

Error TableParser::parse(StringRef text, std::vector<Section> &sections) {
  if (int depth = sattn::getJsonNesting(text); depth > sattn::kMaxJsonNesting)
    return error("expected at most " + Twine(sattn::kMaxJsonNesting) +
                 " nested arrays and objects, but got " + Twine(depth));
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return error("expected JSON, but got " + llvm::toString(value.takeError()));
  if (std::optional<std::string> key = findRepeatedKey(text))
    return error("expected each key once in an object, but got \"" + *key +
                 "\" twice");
  const json::Object *root = value->getAsObject();
  if (!root)
    return expected("an object", &*value);
  if (root->getString("format") != kFormat)
    return expected("\"format\": \"" + kFormat + "\"", root->get("format"));
  if (root->getInteger("version") != kVersion)
    return expected("\"version\": " + Twine(kVersion) +
                        " of the format, the only one that is known",
                    root->get("version"));
  if (Error err =
          checkMembers(*root, "the table", {"format", "version", "sections"}))
    return err;
  const json::Array *array = root->getArray("sections");
  if (!array)
    return expected("an array \"sections\"", root->get("sections"));
  for (auto [index, element] : llvm::enumerate(*array)) {
    Section section;
    if (Error err = parseSection(element, index, section))
      return err;
    sections.push_back(std::move(section));
  }
  if (unusedRows > kMaxProblems)
    problems.push_back(prefix + llvm::utostr(unusedRows - kMaxProblems) +
                       " more rows are not used");
  llvm::StringMap<size_t> seen;
  for (const Section &section : sections)
    if (++seen[section.describe()] > 1)
      return error("expected one section of " + section.describe() +
                   ", but got two");
  return Error::success();
}

Error TableParser::checkMembers(const json::Object &object, StringRef where,
                                llvm::ArrayRef<StringRef> known) {
  std::optional<StringRef> other;
  for (const auto &[key, value] : object)
    if (!llvm::is_contained(known, StringRef(key)) &&
        (!other || StringRef(key) < *other))
      other = key;
  if (!other)
    return Error::success();
  return error("expected members out of " + llvm::join(known, ", ") + " in " +
               where + ", but got \"" + *other + "\"");
}

Error TableParser::parseSection(const json::Value &value, size_t index,
                                Section &section) {
  std::string where = ("section " + Twine(index)).str();
  const json::Object *object = value.getAsObject();
  if (!object)
    return expected(where + " to be an object", &value);
  if (Error err = checkMembers(*object, where,
                               {"op", "device", "version", "dtype", "out_dtype",
                                "sparsity", "parameters", "rows"}))
    return err;
  std::string op;
  for (auto [key, target] :
       {std::pair("op", &op), std::pair("device", &section.device),
        std::pair("dtype", &section.dtype)}) {
    std::optional<StringRef> text = object->getString(key);
    if (!text || text->empty())
      return expected(Twine("a string \"") + key + "\" in " + where,
                      object->get(key));
    *target = text->str();
  }
  const auto *schema = llvm::find_if(
      schemas, [&](const OpSchema *schema) { return schema->op == op; });
  if (schema == schemas.end()) {
    auto names = llvm::map_range(
        schemas, [](const OpSchema *schema) { return schema->op.str(); });
    return expected("\"op\" in " + where + " to be one of " +
                        llvm::join(names, ", "),
                    object->get("op"));
  }
  section.schema = *schema;
  if (const json::Value *out = object->get("out_dtype")) {
    std::optional<StringRef> text = out->getAsString();
    if (!text)
      return expected("a string \"out_dtype\" in " + where, out);
    if (*text != section.dtype)
      section.outDtype = text->str();
  }
  std::optional<int64_t> version = object->getInteger("version");
  if (!version)
    return expected("an integer \"version\" in " + where,
                    object->get("version"));
  section.version = *version;
  std::optional<double> sparsity = object->getNumber("sparsity");
  if (!sparsity || !(*sparsity >= 0) || *sparsity > 1)
    return expected("\"sparsity\" from 0 to 1 in " + where,
                    object->get("sparsity"));
  section.sparsity = std::lround(*sparsity * 100);
  if (Error err = parseParameters(*object, where, section))
    return err;

  const json::Array *rows = object->getArray("rows");
  if (!rows)
    return expected("an array \"rows\" in " + where, object->get("rows"));
  for (const json::Value &row : *rows)
    if (Error err = parseRow(row, section))
      return err;
  llvm::sort(section.rows,
             [](const Row &a, const Row &b) { return a.key < b.key; });
  auto repeated = std::adjacent_find(
      section.rows.begin(), section.rows.end(),
      [](const Row &a, const Row &b) { return a.key == b.key; });
  if (repeated != section.rows.end())
    return error("expected one row " +
                 describeKey(*section.schema, repeated->key) + " of " +
                 section.describe() + ", but got two");
  return Error::success();
}

Error TableParser::parseParameters(const json::Object &object, StringRef where,
                                   Section &section) {
  const json::Array *names = object.getArray("parameters");
  if (!names)
    return expected("an array \"parameters\" in " + where,
                    object.get("parameters"));
  for (const json::Value &value : *names) {
    std::optional<StringRef> name = value.getAsString();
    if (!name)
      return expected("strings in \"parameters\" of " + where, &value);
    section.parameters.push_back(name->str());
  }
  if (std::string problem = parametersProblem(section); !problem.empty())
    return error(where + ": " + problem);
  return Error::success();
}

Error TableParser::parseNumbers(const json::Value &value, const Twine &where,
                                llvm::ArrayRef<StringRef> names,
                                llvm::SmallVectorImpl<int64_t> &numbers) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return expected("an array as " + where, &value);
  if (array->size() != names.size())
    return error("expected " + Twine(names.size()) + " entries (" +
                 llvm::join(names, ", ") + ") in " + where + ", but got " +
                 Twine(array->size()));
  for (auto [name, entry] : llvm::zip(names, *array)) {
    bool isFlag = OpSchema::isFlag(name);
    std::optional<int64_t> number = entry.getAsInteger();
    if (isFlag) {
      std::optional<bool> flag = entry.getAsBoolean();
      number = flag ? std::optional<int64_t>(*flag) : std::nullopt;
    }
    if (!number)
      return expected(Twine(isFlag ? "true or false" : "an integer") + " as " +
                          name + " in " + where,
                      &entry);
    numbers.push_back(*number);
  }
  return Error::success();
}

Error TableParser::parseRow(const json::Value &value, Section &section) {
  const OpSchema &schema = *section.schema;
  std::string where = "a row of " + section.describe();
  const json::Array *pair = value.getAsArray();
  if (!pair || pair->size() != 2)
    return expected(where + " to be an array of a key and its parameters",
                    &value);
  Row row;
  llvm::SmallVector<StringRef> names(schema.keyNames.begin(),
                                     schema.keyNames.end());
  if (Error err =
          parseNumbers((*pair)[0], "the key of " + where, names, row.key))
    return err;
  names.assign(section.parameters.begin(), section.parameters.end());
  if (Error err = parseNumbers((*pair)[1], "the parameters of " + where, names,
                               row.values))
    return err;
  std::string problem = rowProblem(section, row);
  if (problem.empty())
    section.rows.push_back(std::move(row));
  else if (++unusedRows <= kMaxProblems)
    problems.push_back(prefix + "row " + describeKey(schema, row.key) + " of " +
                       section.describe() + ": " + problem +
                       "; the row is not used");
  return Error::success();
}

llvm::Expected<Table>
sattn::meta::parseTable(StringRef text, StringRef name, OpSchemas schemas,
                        std::vector<std::string> &problems) {
  Table table;
  table.name = name.str();
  if (Error err =
          TableParser(name, schemas, problems).parse(text, table.sections))
    return err;
  return table;
}

llvm::Expected<Table>
sattn::meta::loadTable(StringRef path, OpSchemas schemas,
                       std::vector<std::string> &problems) {
  auto file = readRegularFile(path);
  if (!file)
    return llvm::createStringError("meta table '" + path +
                                   "': expected a file that can be read, but "
                                   "got: " +
                                   llvm::toString(file.takeError()));
  return parseTable((*file)->getBuffer(), path, schemas, problems);
}
