//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuner/Journal.h"

#include "sattn/Support/Json.h"
#include "sattn/Tuning/Space.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/file.h>

using namespace sattn;
using namespace sattn::tuner;
using llvm::StringRef;
using tuning::Parameters;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

static llvm::Error fileError(StringRef path, const llvm::Twine &reason) {
  return llvm::createStringError("journal '" + path + "': " + reason);
}

llvm::Expected<Journal> Journal::open(StringRef path, StringRef identity) {
  Journal journal;
  journal.path = path.str();
  journal.identity = identity.str();
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status))
    return fileError(path, "expected a regular file");
  if (std::error_code error = fs::openFileForReadWrite(
          path, journal.descriptor, fs::CD_OpenAlways, fs::OF_Append))
    return fileError(path, "expected a file to write to, but got: " +
                               error.message());
  // The lock of the descriptor, not of the process: the file is opened again.
  // Its last holder may have removed the file before it closed it.
  fs::file_status own, named;
  if (flock(journal.descriptor, LOCK_EX | LOCK_NB) != 0 ||
      fs::status(journal.descriptor, own) || fs::status(path, named) ||
      own.getUniqueID() != named.getUniqueID())
    return fileError(path, "expected no other process that tunes into this "
                           "table, but one does");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  if (!file)
    return fileError(path, file.getError().message());
  StringRef text = (*file)->getBuffer();
  size_t end = text.rfind('\n') + 1;
  StringRef rest = text.take_front(end);
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    journal.readLine(line);
  }
  if (std::error_code error = fs::resize_file(journal.descriptor, end))
    return fileError(path, error.message());
  return journal;
}

Journal::Journal(Journal &&other)
    : path(std::move(other.path)), identity(std::move(other.identity)),
      descriptor(std::exchange(other.descriptor, -1)),
      entries(std::move(other.entries)) {}

Journal::~Journal() {
  if (descriptor >= 0)
    fs::closeFile(descriptor);
}

void Journal::readLine(StringRef line) {
  llvm::Expected<json::Value> value = parseJson(line);
  if (!value)
    return llvm::consumeError(value.takeError());
  const json::Object *object = value->getAsObject();
  if (!object || object->getString("identity") != StringRef(identity))
    return;
  std::optional<StringRef> problem = object->getString("problem");
  if (!problem)
    return;
  Entry &entry = entries[problem->str()];
  const json::Object *numbers = object->getObject("parameters");
  if (!numbers) {
    entry.done.push_back(object->getString("effort").value_or("").str());
    return;
  }
  Trial trial;
  for (StringRef name : tuning::getParameterNames())
    if (int64_t number = numbers->getInteger(name).value_or(0))
      tuning::setParameter(trial.parameters, name, number);
  trial.reason = object->getString("reason").value_or("").str();
  trial.ratio = object->getNumber("ratio").value_or(0);
  entry.trials.push_back(std::move(trial));
}

std::vector<Trial> Journal::getTrials(StringRef problem) const {
  auto place = entries.find(problem.str());
  return place == entries.end() ? std::vector<Trial>() : place->second.trials;
}

bool Journal::isDone(StringRef problem, StringRef effort) const {
  auto place = entries.find(problem.str());
  return place != entries.end() &&
         llvm::is_contained(place->second.done, effort);
}

llvm::Error Journal::append(StringRef line) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  os << line << "\n";
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  if (error)
    return fileError(path,
                     "expected room for a line, but got: " + error.message());
  return llvm::Error::success();
}

static std::string print(json::Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  return text;
}

llvm::Error Journal::add(StringRef problem, const Trial &trial) {
  json::Object numbers;
  for (StringRef name : tuning::getParameterNames())
    if (int64_t number = tuning::getParameter(trial.parameters, name))
      numbers[name] = number;
  return append(print(json::Object{{"identity", identity},
                                   {"problem", problem},
                                   {"parameters", std::move(numbers)},
                                   {"reason", json::fixUTF8(trial.reason)},
                                   {"ratio", trial.ratio}}));
}

llvm::Error Journal::addDone(StringRef problem, StringRef effort) {
  return append(print(json::Object{
      {"identity", identity}, {"problem", problem}, {"effort", effort}}));
}

void Journal::remove() { fs::remove(path); }
