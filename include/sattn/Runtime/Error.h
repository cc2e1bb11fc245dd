//===- Error.h - Errors with a message --------------------------*- C++ -*-===//
//
// Failure as a value. The runtime does not throw: whatever can fail returns an
// Error, or an ErrorOr<T> when it also has something to give.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_ERROR_H
#define SATTN_RUNTIME_ERROR_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace sattn::runtime {

/// A message, or success. Converts to true when there *is* an error:
///
///   if (Error err = program.launch(args, stream))
///     return err;
///
/// Messages are lower case, without a trailing period or newline.
class [[nodiscard]] Error {
public:
  /// A failure. An empty message is still a failure.
  explicit Error(std::string message) : text(std::move(message)) {}

  static Error success() { return Error(); }

  explicit operator bool() const { return text.has_value(); }

  /// The message; empty on success.
  const std::string &message() const {
    static const std::string none;
    return text ? *text : none;
  }

private:
  Error() = default;

  std::optional<std::string> text;
};

/// A value, or the Error that says why there is none. Converts to true when
/// there is a value:
///
///   ErrorOr<NpyArray> array = readNpy(path);
///   if (!array)
///     return array.takeError();
template <class T> class [[nodiscard]] ErrorOr {
public:
  ErrorOr(T value) : stored(std::move(value)), failure(Error::success()) {}
  ErrorOr(Error error) : failure(std::move(error)) {
    assert(failure && "an ErrorOr without a value needs a failure");
  }

  explicit operator bool() const { return stored.has_value(); }

  T &operator*() {
    assert(stored && "no value: test the ErrorOr first");
    return *stored;
  }
  const T &operator*() const {
    assert(stored && "no value: test the ErrorOr first");
    return *stored;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The failure; Error::success() when there is a value.
  const Error &error() const { return failure; }
  Error takeError() { return std::move(failure); }

private:
  std::optional<T> stored;
  Error failure;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_ERROR_H
