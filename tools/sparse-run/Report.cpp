//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace sattn;
using namespace sattn::run;
using runtime::DType;

double sattn::run::defaultTolerance(DType outDType) {
  switch (outDType) {
  case DType::BF16:
    return 1e-2;
  case DType::F16:
    return 2e-3;
  case DType::F64:
    return 1e-13;
  default:
    return 1e-5;
  }
}

static double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  return times.size() % 2 ? times[middle]
                          : (times[middle - 1] + times[middle]) / 2;
}

/// 10^9 operations a second.
static double rate(const Report &report, double milliseconds) {
  return milliseconds > 0 ? report.description->operations / milliseconds * 1e-6
                          : 0;
}

std::string sattn::run::formatText(const Report &report) {
  std::string where = report.device;
  if (report.threads)
    where += llvm::formatv(" ({0} thread{1})", report.threads,
                           report.threads == 1 ? "" : "s")
                 .str();
  std::string problem;
  if (report.description)
    problem = report.description->text + ", ";
  std::string text = report.entry + ": " + problem + where + "\n";
  for (const Report::Check &check : report.checks) {
    bool isFirst = &check == &report.checks.front();
    text += llvm::formatv("relative error{0}: {1:e1} (at most {2:e1})\n",
                          isFirst ? "" : " of '" + check.operand + "'",
                          check.relativeError, check.tolerance)
                .str();
  }
  if (!report.times.empty()) {
    double time = median(report.times);
    text += llvm::formatv("time: {0:f4} ms (median of {1})\n", time,
                          report.times.size())
                .str();
    if (report.description)
      text += llvm::formatv("rate: {0:f1} GFLOP/s\n", rate(report, time)).str();
  }
  return text;
}

std::string sattn::run::formatJson(const Report &report) {
  llvm::json::Object object{{"entry", report.entry},
                            {"target", report.target},
                            {"device", report.device},
                            {"compile_ms", report.compileMilliseconds}};
  if (report.description) {
    object["op"] = report.op;
    for (const auto &[name, value] : report.description->members)
      object[name] = std::visit(
          [](const auto &member) { return llvm::json::Value(member); }, value);
  }
  if (report.threads)
    object["threads"] = report.threads;
  bool isOk = true;
  for (const Report::Check &check : report.checks) {
    bool isFirst = &check == &report.checks.front();
    std::string suffix = isFirst ? "" : "_" + check.operand;
    // JSON has no infinity and no NaN.
    if (std::isfinite(check.relativeError))
      object["relative_error" + suffix] = check.relativeError;
    object["tolerance" + suffix] = check.tolerance;
    isOk &= check.withinTolerance;
    object["ok"] = isOk;
  }
  if (!report.times.empty()) {
    double time = median(report.times);
    object["time_runs"] = static_cast<int64_t>(report.times.size());
    object["median_ms"] = time;
    object["min_ms"] =
        *std::min_element(report.times.begin(), report.times.end());
    if (report.description)
      object["gflops"] = rate(report, time);
  }
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
}
