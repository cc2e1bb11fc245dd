//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/SyncAnalysis.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace wgtile;

namespace {

/// A loop that gives a stage back in the next iteration, or after its end;
/// there is none if it has no iteration.
constexpr const char *kLoop = R"(
        %none{0} = wgtile.no_stage
        %r{0}:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %none{0}) -> (!acc, !wgtile.token) {{
          %full = wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
          %d = wgtile.mma_async %a, %a, %acc : !a, !a -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          wgtile.consumer_release %ring[%last] : !ring
          scf.yield %w, %full : !acc, !wgtile.token
        }
        %w{0} = wgtile.warpgroup_mma_wait %r{0}#0 pending 0 : !acc
        wgtile.consumer_release %ring[%r{0}#1] : !ring
)";

/// A tile of so many loops, one after another.
std::string makeKernel(int loops) {
  std::string text = R"(
!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
gpu.module @kernels {
  gpu.func @kernel(%zero: !acc, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
)";
  for (int i = 0; i < loops; ++i)
    text += llvm::formatv(kLoop, i).str();
  return text + R"(
      }
    }
    gpu.return
  }
})";
}

class SyncAnalysisTest : public testing::Test {
protected:
  SyncAnalysisTest() {
    context.loadDialect<arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        tensor::TensorDialect, WGTileDialect>();
  }

  /// How many times ops are visited until nothing changes.
  int64_t countVisits(int loops) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(makeKernel(loops), &context);
    EXPECT_TRUE(module);
    gpu::GPUFuncOp kernel;
    module->walk([&](gpu::GPUFuncOp op) { kernel = op; });
    int64_t visits = 0;
    SyncAnalysis analysis(kernel);
    auto refuse = [](Operation *op, SyncEffect::Kind, const Twine &message) {
      ADD_FAILURE() << op->getName().getStringRef().str() << ": "
                    << message.str();
      return false;
    };
    EXPECT_TRUE(succeeded(analysis.run(
        refuse, [&](Operation *, const SyncState &) { ++visits; })));
    return visits;
  }

  MLIRContext context;
};

TEST_F(SyncAnalysisTest, VisitsGrowWithTheProgram) {
  int64_t eight = countVisits(8), sixteen = countVisits(16);
  EXPECT_GT(sixteen, eight);
  EXPECT_EQ(countVisits(24) - sixteen, sixteen - eight);
}

} // namespace
