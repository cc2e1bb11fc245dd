//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuner/ChildProcess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sattn::tuner;

llvm::Expected<std::unique_ptr<ChildProcess>>
ChildProcess::start(const std::vector<std::string> &command) {
  int toChild[2], fromChild[2];
  auto fail = [&](const char *what) {
    return llvm::createStringError("expected a process of '" + command[0] +
                                   "', but got: " + what + ": " +
                                   std::strerror(errno));
  };
  if (pipe2(toChild, O_CLOEXEC) != 0)
    return fail("pipe");
  if (pipe2(fromChild, O_CLOEXEC) != 0) {
    llvm::Error error = fail("pipe");
    close(toChild[0]);
    close(toChild[1]);
    return error;
  }
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  int parent = getpid();
  int process = fork();
  if (process == 0) {
    // Only calls that are safe between fork and exec.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    dup2(toChild[0], STDIN_FILENO);
    dup2(fromChild[1], STDOUT_FILENO);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  llvm::Error error =
      process < 0 ? fail("fork") : llvm::Error(llvm::Error::success());
  close(toChild[0]);
  close(fromChild[1]);
  if (error) {
    close(toChild[1]);
    close(fromChild[0]);
    return error;
  }
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  child->process = process;
  child->input = toChild[1];
  child->output = fromChild[0];
  fcntl(child->output, F_SETFL, O_NONBLOCK);
  return child;
}

ChildProcess::~ChildProcess() { stop(); }

void ChildProcess::write(llvm::StringRef line) {
  std::string text = (line + "\n").str();
  // A process that has ended must not end this one.
  auto before = std::signal(SIGPIPE, SIG_IGN);
  for (size_t done = 0; done < text.size();) {
    ssize_t count = ::write(input, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    done += count;
  }
  std::signal(SIGPIPE, before);
}

std::optional<std::string> ChildProcess::read() {
  char buffer[4096];
  while (!ended) {
    ssize_t count = ::read(output, buffer, sizeof(buffer));
    if (count > 0)
      pending.append(buffer, count);
    else if (count < 0 && errno == EINTR)
      continue;
    else if (count < 0 && errno == EAGAIN)
      break;
    else
      ended = true;
  }
  size_t end = pending.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  std::string line = pending.substr(0, end);
  pending.erase(0, end + 1);
  return line;
}

std::string ChildProcess::stop() {
  if (process < 0)
    return "";
  // One that has closed its output is about to end by itself.
  int status = 0;
  pid_t found = waitpid(process, &status, WNOHANG);
  for (int i = 0; ended && found == 0 && i < 100; ++i) {
    usleep(10000);
    found = waitpid(process, &status, WNOHANG);
  }
  if (found == 0) {
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
  }
  close(input);
  close(output);
  process = -1;
  ended = true;
  return WIFSIGNALED(status)
             ? "signal " + std::to_string(WTERMSIG(status))
             : "exit code " + std::to_string(WEXITSTATUS(status));
}

void sattn::tuner::waitForAny(llvm::ArrayRef<ChildProcess *> processes,
                              double seconds) {
  std::vector<pollfd> descriptors;
  for (const ChildProcess *process : processes)
    descriptors.push_back({process->descriptor(), POLLIN, 0});
  double milliseconds = std::clamp(1000 * seconds, 0.0, 3600000.0);
  poll(descriptors.data(), descriptors.size(),
       static_cast<int>(milliseconds) + 1);
}
