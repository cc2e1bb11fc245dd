//===- JsonNode.h - JSON values that know where they are --------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_MANIFEST_JSONNODE_H
#define SATTN_LIB_RUNTIME_MANIFEST_JSONNODE_H

#include "sattn/Runtime/Tensor.h"
#include "sattn/Runtime/Text.h"

#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

namespace sattn::runtime {

/// A value inside a parsed text with its path ("steps[0].grid"), which begins
/// the messages of its errors. Getters fail where the value is absent or of
/// another kind; none throws.
class JsonNode {
public:
  JsonNode(const nlohmann::json &value, std::string path)
      : value(&value), path(std::move(path)) {}

  template <class... Parts> Error fail(const Parts &...parts) const {
    return makeError("manifest: ", path, ": ", parts...);
  }

  /// An object with no other keys than these.
  Error expectObject(std::initializer_list<const char *> keys) const {
    if (!value->is_object())
      return fail("expected an object, but got ", shortText());
    for (auto item = value->begin(); item != value->end(); ++item) {
      bool known = false;
      for (const char *key : keys)
        known |= item.key() == key;
      if (!known)
        return fail("unknown key '", item.key(), "'");
    }
    return Error::success();
  }

  /// Whether the object has the key with a value other than null.
  bool has(const char *key) const {
    auto item = value->find(key);
    return item != value->end() && !item->is_null();
  }

  ErrorOr<JsonNode> member(const char *key) const {
    auto item = value->find(key);
    if (item == value->end())
      return fail("expected the key '", key, "'");
    return JsonNode(*item, path + "." + key);
  }

  /// The items of an array that is a member.
  Error array(const char *key, std::vector<JsonNode> &items) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    if (!node->value->is_array())
      return node->fail("expected an array, but got ", node->shortText());
    size_t position = 0;
    for (const nlohmann::json &item : *node->value)
      items.emplace_back(item, concat(node->path, "[", position++, "]"));
    return Error::success();
  }

  Error string(const char *key, std::string &out) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    if (!node->value->is_string())
      return node->fail("expected a string, but got ", node->shortText());
    out = node->value->get_ref<const std::string &>();
    // Names go to interfaces that end them at the first null character.
    if (out.empty() || out.find('\0') != std::string::npos)
      return node->fail("expected a string that is not empty and has no null "
                        "characters");
    return Error::success();
  }

  Error asInteger(int64_t low, int64_t high, int64_t &out) const {
    bool fits = value->is_number_integer() &&
                !(value->is_number_unsigned() &&
                  value->get<uint64_t>() >
                      uint64_t(std::numeric_limits<int64_t>::max()));
    if (fits)
      out = value->get<int64_t>();
    if (!fits || out < low || out > high)
      return fail("expected an integer in [", low, ", ", high, "], but got ",
                  shortText());
    return Error::success();
  }

  Error integer(const char *key, int64_t low, int64_t high,
                int64_t &out) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    return node->asInteger(low, high, out);
  }

  /// Parses an index below `count` into a list called `what`.
  Error asIndex(const char *what, size_t count, size_t &out) const {
    int64_t number = 0;
    if (!value->is_number_integer() ||
        asInteger(0, std::numeric_limits<int64_t>::max(), number) ||
        uint64_t(number) >= count)
      return fail("expected an index of one of ", count, " ", what,
                  ", but got ", shortText());
    out = size_t(number);
    return Error::success();
  }

  Error index(const char *key, const char *what, size_t count,
              size_t &out) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    return node->asIndex(what, count, out);
  }

  Error number(const char *key, double &out) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    if (!node->value->is_number())
      return node->fail("expected a number, but got ", node->shortText());
    out = node->value->get<double>();
    return Error::success();
  }

  Error boolean(const char *key, bool &out) const {
    ErrorOr<JsonNode> node = member(key);
    if (!node)
      return node.takeError();
    if (!node->value->is_boolean())
      return node->fail("expected true or false, but got ", node->shortText());
    out = node->value->get<bool>();
    return Error::success();
  }

  Error asType(DType &out) const {
    if (!value->is_string())
      return fail("expected a string, but got ", shortText());
    return parseType(value->get_ref<const std::string &>(), out);
  }

  Error type(const char *key, DType &out) const {
    std::string text;
    if (Error err = string(key, text))
      return err;
    return parseType(text, out);
  }

private:
  Error parseType(const std::string &text, DType &out) const {
    std::optional<DType> dtype = parseDType(text);
    if (!dtype)
      return fail("unknown type '", text, "'");
    out = *dtype;
    return Error::success();
  }

  /// The value as it was written, cut to a length that suits a message.
  std::string shortText() const {
    std::string text =
        value->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    constexpr size_t longest = 40;
    if (text.size() > longest)
      text = text.substr(0, longest) + "...";
    return text;
  }

  const nlohmann::json *value;
  std::string path;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_MANIFEST_JSONNODE_H
