//===- Threads.h - Threads of programs for the CPU --------------*- C++ -*-===//
//
// How many threads LLVM's OpenMP runtime, which such programs run on, has for a
// call.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PYTHON_BINDING_THREADS_H
#define SATTN_PYTHON_BINDING_THREADS_H

#include <cstdint>

namespace sattn::python {

/// Sets how many threads calls from now on have, from any thread of the
/// process; 0: as many as the function of followThreads says.
void setThreads(int64_t count);

/// Sets the function that says how many threads there are where nobody has set
/// that; null: OpenMP's own rule.
void followThreads(int (*count)());

/// Has the calling thread's parallel regions run on `count` threads, or where
/// that is 0 on as many as were set, while this object lives.
class WithThreads {
public:
  explicit WithThreads(int64_t count);
  WithThreads(const WithThreads &) = delete;
  WithThreads &operator=(const WithThreads &) = delete;
  ~WithThreads();

private:
  /// The number of threads before; 0: nothing was changed.
  int before = 0;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_THREADS_H
