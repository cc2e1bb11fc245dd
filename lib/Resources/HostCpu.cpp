//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/HostCpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cstdlib>
#include <map>

using namespace sattn::resources;

/// Instructions by their names, and whether a CPU has them.
using Features = std::map<std::string, bool>;

static HostCpu describe(llvm::StringRef name, const Features &features) {
  HostCpu cpu;
  cpu.name = name.str();
  for (const auto &[feature, isThere] : features)
    cpu.features.push_back((isThere ? "+" : "-") + feature);
  auto has = [&](const char *feature) {
    auto found = features.find(feature);
    return found != features.end() && found->second;
  };
  cpu.vectorBits = has("avx512f") ? 512 : has("avx") ? 256 : 128;
  cpu.threads = llvm::hardware_concurrency().compute_thread_count();
  return cpu;
}

static Features getHostFeatures() {
  Features features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features[feature.first().str()] = feature.second;
  return features;
}

/// The CPU of that name. Instructions that it does not have are turned off.
static llvm::Expected<HostCpu> findNamed(llvm::StringRef name) {
  Features host = getHostFeatures();
  auto makeError = [&](const llvm::Twine &reason) {
    return llvm::createStringError("SATTN_CPU: expected " + reason +
                                   ", but got '" + name + "'");
  };
#if defined(__x86_64__)
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return makeError("the name of an x86 CPU");
  llvm::SmallVector<llvm::StringRef> named;
  llvm::X86::getFeaturesForCPU(name, named);
  // The list leaves out what others imply, and the mode.
  llvm::StringMap<bool> all;
  all["64bit"] = true;
  for (llvm::StringRef feature : named) {
    feature.consume_front("+");
    all[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, all);
  }
  Features features = host;
  for (auto &[feature, isThere] : features) {
    if (all.lookup(feature) && !isThere)
      return makeError("a CPU whose instructions this machine has (" +
                       llvm::Twine(feature) + ")");
    isThere = all.lookup(feature);
  }
  return describe(name, features);
#else
  return makeError("no other CPU on this machine");
#endif
}

static llvm::Expected<HostCpu> findCpu() {
  const char *name = std::getenv("SATTN_CPU");
  if (name && *name)
    return findNamed(name);
  return describe(llvm::sys::getHostCPUName(), getHostFeatures());
}

llvm::Expected<HostCpu> sattn::resources::getHostCpu() {
  static const std::pair<HostCpu, std::string> found = [] {
    std::pair<HostCpu, std::string> result;
    llvm::Expected<HostCpu> cpu = findCpu();
    if (cpu)
      result.first = *cpu;
    else
      result.second = llvm::toString(cpu.takeError());
    return result;
  }();
  if (!found.second.empty())
    return llvm::createStringError(found.second);
  return found.first;
}
