//===- CallCache.cpp - Kinds of calls that have been checked --------------===//

#include "CallCache.h"

using namespace sattn::runtime;

std::shared_ptr<const ReadyCall> CallCache::find(uint64_t hash,
                                                 const CallTensors &tensors) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = calls.find(hash);
  if (found == calls.end() || !found->second->fits(tensors))
    return nullptr;
  return found->second;
}

void CallCache::insert(uint64_t hash, std::shared_ptr<const ReadyCall> call) {
  std::lock_guard<std::mutex> lock(mutex);
  // Callers have few kinds of calls, or ever new ones, which none is kept for
  // with profit.
  if (calls.size() >= capacity)
    calls.clear();
  // If two kinds have one hash, the last is kept.
  calls[hash] = std::move(call);
}
