//===- Threads.cpp - Threads of programs for the CPU ----------------------===//

#include "Threads.h"

#include <atomic>
#include <dlfcn.h>

using namespace sattn;

static std::atomic<int64_t> wanted{0};
static std::atomic<int (*)()> followed{nullptr};

namespace {
/// The functions of LLVM's OpenMP runtime; null where it is not loaded, as in a
/// process whose programs run on one thread.
struct OpenMP {
  void (*set)(int) = nullptr;
  int (*get)() = nullptr;

  OpenMP() {
    // PyTorch and others may have runtimes of their own.
    void *library = dlopen("libomp.so.5", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
      return;
    set =
        reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    get = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
  }
};
} // namespace

/// The runtime, once it is loaded, which the first program of several threads
/// does.
static OpenMP &openMP() {
  static thread_local OpenMP found;
  if (!found.set)
    found = OpenMP();
  return found;
}

void python::setThreads(int64_t count) { wanted = count; }

void python::followThreads(int (*count)()) { followed = count; }

python::WithThreads::WithThreads(int64_t count) {
  if (count == 0)
    count = wanted;
  if (int (*function)() = followed; count == 0 && function)
    count = function();
  if (count == 0)
    return;
  OpenMP &runtime = openMP();
  if (!runtime.set || !runtime.get || runtime.get() == count)
    return;
  before = runtime.get();
  runtime.set(int(count));
}

python::WithThreads::~WithThreads() {
  if (before != 0)
    openMP().set(before);
}
