//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A limit of processes, of a container or of memory shows when threads start,
// and not before.

#include "ThreadLimit.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <vector>

using namespace sattn;

namespace {
/// Threads wait for it to open.
class Gate {
public:
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    opened.wait(lock, [&] { return isOpen; });
  }
  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    opened.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable opened;
  bool isOpen = false;
};
} // namespace

/// Starts `threads` threads beside the calling one; returns how many started.
static int64_t start(int64_t threads, const pthread_attr_t &attributes) {
  Gate gate;
  std::vector<pthread_t> started;
  started.reserve(threads);
  auto run = [](void *gate) -> void * {
    static_cast<Gate *>(gate)->wait();
    return nullptr;
  };
  pthread_t thread;
  while (int64_t(started.size()) < threads &&
         pthread_create(&thread, &attributes, run, &gate) == 0)
    started.push_back(thread);
  gate.open();
  for (pthread_t thread : started)
    pthread_join(thread, nullptr);
  return started.size();
}

int64_t run::tryThreads(int64_t threads, size_t stackBytes) {
  static std::atomic<int64_t> given{kThreadsGiven};
  if (threads <= given)
    return threads;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // A size that cannot be leaves that of the system.
  pthread_attr_setstacksize(&attributes, stackBytes);
  int64_t found = start(threads - 1, attributes) + 1;
  pthread_attr_destroy(&attributes);
  given = std::max(given.load(), found);
  return found;
}
