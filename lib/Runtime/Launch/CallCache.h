//===- CallCache.h - Kinds of calls that have been checked ------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_CALLCACHE_H
#define SATTN_LIB_RUNTIME_LAUNCH_CALLCACHE_H

#include "ReadyCall.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace sattn::runtime {

/// Calls that are ready, by the hash of their tensors. Safe to use from several
/// threads.
class CallCache {
public:
  static constexpr size_t capacity = 1024;

  /// The call of this kind, or null.
  std::shared_ptr<const ReadyCall> find(uint64_t hash,
                                        const CallTensors &tensors);
  void insert(uint64_t hash, std::shared_ptr<const ReadyCall> call);

private:
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<const ReadyCall>> calls;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_CALLCACHE_H
