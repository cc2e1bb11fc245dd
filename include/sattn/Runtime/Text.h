//===- Text.h - Building messages -------------------------------*- C++ -*-===//

#ifndef SATTN_RUNTIME_TEXT_H
#define SATTN_RUNTIME_TEXT_H

#include "sattn/Runtime/Error.h"

#include <cstdint>
#include <sstream>
#include <vector>

namespace sattn::runtime {

/// The parts, printed one after the other.
template <class... Parts> std::string concat(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// An error whose message is the parts, printed one after the other.
template <class... Parts> Error makeError(const Parts &...parts) {
  return Error(concat(parts...));
}

/// A text such as "[3, 4]".
inline std::string listText(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_TEXT_H
