//===- Devices.cpp - The devices of a process -----------------------------===//

#include "Devices.h"

#include <map>
#include <mutex>

using namespace sattn;
using runtime::Device;

runtime::ErrorOr<const Device *> python::deviceOf(int ordinal) {
  static std::mutex mutex;
  static auto *devices = new std::map<int, std::unique_ptr<Device>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Device> &device = (*devices)[ordinal];
  if (!device) {
    runtime::ErrorOr<std::unique_ptr<Device>> opened = Device::open(ordinal);
    if (!opened)
      return opened.takeError();
    device = std::move(*opened);
  }
  return device.get();
}
