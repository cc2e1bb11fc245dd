//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "sattn/Reference/ElementConversion.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace sattn;
using namespace sattn::run;
using runtime::DType;
using runtime::TensorView;

/// Entries between the first and the last offset of every batch of crow.
static int64_t countBlocks(const TensorView &crow) {
  int64_t rows = crow.shape.back(), total = 0;
  int64_t batches = rows == 0 ? 0 : crow.numElements() / rows;
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t offset = 0, rest = batch;
    for (int64_t dim = crow.rank() - 2; dim >= 0; --dim) {
      offset += rest % crow.shape[dim] * crow.strides[dim];
      rest /= crow.shape[dim];
    }
    int64_t last = offset + (rows - 1) * crow.strides.back();
    total +=
        reference::loadIndex(crow, last) - reference::loadIndex(crow, offset);
  }
  return total;
}

void sattn::run::describeProblem(
    Report &report, const runtime::BsrAddmmContract &contract,
    const std::vector<runtime::Argument> &arguments) {
  auto view = [&](size_t i) { return std::get<TensorView>(arguments[i]); };
  TensorView crow = view(contract.crow), b = view(contract.b),
             out = view(contract.out);
  report.isProduct = true;
  report.m = out.shape[out.rank() - 2];
  report.n = out.shape.back();
  report.k = b.shape[b.rank() - 2];
  report.batch = 1;
  for (int64_t dim = 0; dim < out.rank() - 2; ++dim)
    report.batch *= out.shape[dim];
  report.blockRows = contract.blockRows;
  report.blockColumns = contract.blockCols;
  report.dtype = b.dtype;
  report.outDType = out.dtype;
  int64_t rows = crow.shape.back();
  int64_t crowBatch = rows ? crow.numElements() / rows : 0;
  if (crowBatch)
    report.storedBlocks = countBlocks(crow) * (report.batch / crowBatch);
}

double sattn::run::defaultTolerance(DType outDType) {
  switch (outDType) {
  case DType::BF16:
    return 1e-2;
  case DType::F16:
    return 2e-3;
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

/// 10^9 operations a second, counting two for each element of a stored block
/// and column of b.
static double rate(const Report &report, double milliseconds) {
  double operations = 2.0 * report.storedBlocks * report.blockRows *
                      report.blockColumns * report.n;
  return milliseconds > 0 ? operations / milliseconds * 1e-6 : 0;
}

std::string sattn::run::formatText(const Report &report) {
  std::string batch =
      report.batch == 1 ? "" : llvm::formatv("{0} x ", report.batch).str();
  std::string where = report.device;
  if (report.threads)
    where += llvm::formatv(" ({0} thread{1})", report.threads,
                           report.threads == 1 ? "" : "s")
                 .str();
  std::string problem;
  if (report.isProduct)
    problem = llvm::formatv("{0}{1}x{2} @ {2}x{3}, block {4}x{5}, {6} stored "
                            "blocks, {7} -> {8}, ",
                            batch, report.m, report.k, report.n,
                            report.blockRows, report.blockColumns,
                            report.storedBlocks, runtime::name(report.dtype),
                            runtime::name(report.outDType))
                  .str();
  std::string text = report.entry + ": " + problem + where + "\n";
  if (report.relativeError)
    text += llvm::formatv("relative error: {0:e1} (at most {1:e1})\n",
                          *report.relativeError, *report.tolerance)
                .str();
  if (!report.times.empty()) {
    double time = median(report.times);
    text += llvm::formatv("time: {0:f4} ms (median of {1})\n", time,
                          report.times.size())
                .str();
    if (report.isProduct)
      text += llvm::formatv("rate: {0:f1} GFLOP/s\n", rate(report, time)).str();
  }
  return text;
}

std::string sattn::run::formatJson(const Report &report) {
  llvm::json::Object object{{"entry", report.entry},
                            {"target", report.target},
                            {"device", report.device},
                            {"compile_ms", report.compileMilliseconds}};
  if (report.isProduct) {
    object["op"] = "bsr_addmm";
    object["m"] = report.m;
    object["k"] = report.k;
    object["n"] = report.n;
    object["batch"] = report.batch;
    object["block"] = llvm::json::Array{report.blockRows, report.blockColumns};
    object["stored_blocks"] = report.storedBlocks;
    object["dtype"] = runtime::name(report.dtype);
    object["out_dtype"] = runtime::name(report.outDType);
  }
  if (report.threads)
    object["threads"] = report.threads;
  if (report.relativeError) {
    // JSON has no infinity and no NaN.
    if (std::isfinite(*report.relativeError))
      object["relative_error"] = *report.relativeError;
    object["tolerance"] = *report.tolerance;
    object["ok"] = report.withinTolerance;
  }
  if (!report.times.empty()) {
    double time = median(report.times);
    object["time_runs"] = static_cast<int64_t>(report.times.size());
    object["median_ms"] = time;
    object["min_ms"] =
        *std::min_element(report.times.begin(), report.times.end());
    if (report.isProduct)
      object["gflops"] = rate(report, time);
  }
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
}
