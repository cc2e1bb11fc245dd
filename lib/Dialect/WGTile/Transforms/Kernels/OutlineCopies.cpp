//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A copy on the host becomes a kernel. A warp moves elements that lie side by
// side in the source and in the destination, one at a time: rows of either may
// begin anywhere. Each thread loads several rows' elements before it stores
// them, since it mostly waits for memory.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOUTLINECOPIES
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static constexpr int64_t kThreads = 256;
/// Rows that a thread takes an element of.
static constexpr int64_t kRowsPerThread = 16;
/// Threads side by side in a row: the first that is enough for its columns.
static constexpr int64_t kLanes[] = {8, 16, 32, 64, 128};

/// Memory of any sizes, strides and offset, so that copies of one rank and
/// element type share a kernel.
static Value castToDynamic(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> dynamic(type.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                       /*strides=*/dynamic);
  auto result = MemRefType::get(dynamic, type.getElementType(), layout);
  return result == type ? memref
                        : memref::CastOp::create(b, loc, result, memref);
}

/// The name of the kernel of a copy, without what makes it unique.
static std::string getCopyKernelName(memref::CopyOp copy) {
  auto function = copy->getParentOfType<func::FuncOp>();
  int64_t rank = cast<MemRefType>(copy.getSource().getType()).getRank();
  return getKernelName(function.getName()) + "_copy_" + std::to_string(rank) +
         "d";
}

namespace {
/// How thread blocks divide a copy.
struct Division {
  /// Threads side by side in a row; tiles along the columns and the rows.
  Value lanes, columnTiles, rowTiles;
  /// Thread blocks in all.
  Value grid;
};

class CopyKernel : KernelBuilder {
public:
  CopyKernel(Location loc, MemRefType type, gpu::GPUModuleOp module,
             SymbolTable &symbols)
      : KernelBuilder(loc, module, symbols), type(type) {}

  /// Arguments: source, destination, and the division without the grid.
  gpu::GPUFuncOp build(StringRef name) {
    SmallVector<Type> types{type, type};
    types.append(3, b.getIndexType());
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    Value source = kernel.getArgument(0), dest = kernel.getArgument(1);
    Value lanes = toI32(kernel.getArgument(2));
    Value columnTiles = toI32(kernel.getArgument(3));
    Value rowTiles = toI32(kernel.getArgument(4));

    Value block = toI32(gpu::BlockIdOp::create(b, gpu::Dimension::x));
    Value columnTile = rem(block, columnTiles);
    Value rest = div(block, columnTiles);
    Value rowTile = rem(rest, rowTiles);
    SmallVector<Value> indices = findPlane(source, div(rest, rowTiles));
    Value thread = toI32(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
    Value column = toIndex(add(mul(columnTile, lanes), rem(thread, lanes)));
    Value rowsAtOnce = div(i32(kThreads), lanes);
    Value firstRow =
        toIndex(add(mul(mul(rowTile, rowsAtOnce), i32(kRowsPerThread)),
                    div(thread, lanes)));
    int64_t rank = type.getRank();
    Value columns = memref::DimOp::create(b, source, rank - 1);
    // Past the end the last row is copied once more.
    Value lastRow =
        rank < 2 ? index(0)
                 : sub(memref::DimOp::create(b, source, rank - 2), index(1));
    ifThen(compare(arith::CmpIPredicate::slt, column, columns), [&] {
      SmallVector<SmallVector<Value>> places;
      SmallVector<Value> elements;
      for (int64_t i = 0; i < kRowsPerThread; ++i) {
        SmallVector<Value> place = indices;
        if (rank > 1) {
          Value row = add(firstRow, mul(toIndex(rowsAtOnce), index(i)));
          place.push_back(arith::MinSIOp::create(b, row, lastRow));
        }
        place.push_back(column);
        elements.push_back(load(source, place));
        places.push_back(place);
      }
      for (auto [element, place] : llvm::zip_equal(elements, places))
        store(element, dest, place);
    });
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  MemRefType type;

  Value rem(Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, lhs, rhs);
  }
  Value div(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, lhs, rhs);
  }

  /// The indices before the last two.
  SmallVector<Value> findPlane(Value source, Value plane) {
    int64_t count = std::max<int64_t>(type.getRank() - 2, 0);
    SmallVector<Value> indices(count);
    for (int64_t dim = count - 1; dim >= 0; --dim) {
      Value size = toI32(memref::DimOp::create(b, source, dim));
      indices[dim] = toIndex(dim > 0 ? rem(plane, size) : plane);
      plane = div(plane, size);
    }
    return indices;
  }
};

class CopyOutliner {
public:
  explicit CopyOutliner(gpu::GPUModuleOp module)
      : module(module), symbols(module) {}

  void run(memref::CopyOp copy) {
    OpBuilder b(copy);
    Location loc = copy.getLoc();
    Division division = divide(b, loc, copy.getSource());
    Value source = castToDynamic(b, loc, copy.getSource());
    Value target = castToDynamic(b, loc, copy.getTarget());
    gpu::GPUFuncOp kernel = getKernel(copy, cast<MemRefType>(source.getType()));
    auto launch = LaunchOp::create(
        b, loc,
        SymbolRefAttr::get(module.getNameAttr(),
                           {FlatSymbolRefAttr::get(kernel.getNameAttr())}),
        division.grid,
        ValueRange{source, target, division.lanes, division.columnTiles,
                   division.rowTiles});
    launch->setAttr(kVersionAttrName, b.getStringAttr(kCopyVersion));
    copy.erase();
  }

  /// Refuses calls that need the copy, unless it copies nothing.
  static void omit(memref::CopyOp copy) {
    OpBuilder b(copy);
    Location loc = copy.getLoc();
    Value isEmpty = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, divide(b, loc, copy.getSource()).grid,
        arith::ConstantIndexOp::create(b, loc, 0));
    auto refusal =
        cf::AssertOp::create(b, loc, isEmpty, getCopyKernelName(copy));
    refusal->setAttr(kVersionAttrName, b.getStringAttr(kCopyVersion));
    copy.erase();
  }

private:
  static constexpr llvm::StringLiteral kCopyVersion = "copy";

  gpu::GPUModuleOp module;
  SymbolTable symbols;
  /// By the type of source and destination.
  DenseMap<Type, gpu::GPUFuncOp> kernels;

  gpu::GPUFuncOp getKernel(memref::CopyOp copy, MemRefType type) {
    gpu::GPUFuncOp &kernel = kernels[type];
    if (!kernel)
      kernel = CopyKernel(copy.getLoc(), type, module, symbols)
                   .build(getCopyKernelName(copy));
    return kernel;
  }

  static Division divide(OpBuilder &b, Location loc, Value source) {
    int64_t rank = cast<MemRefType>(source.getType()).getRank();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto size = [&](int64_t dim) -> Value {
      return dim < 0 ? constant(1)
                     : memref::DimOp::create(b, loc, source, dim).getResult();
    };
    Value columns = size(rank - 1), lanes;
    for (int64_t count : llvm::reverse(kLanes)) {
      if (!lanes) {
        lanes = constant(count);
        continue;
      }
      Value isEnough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                             columns, constant(count));
      lanes = arith::SelectOp::create(b, loc, isEnough, constant(count), lanes);
    }
    Value rowsAtOnce =
        arith::FloorDivSIOp::create(b, loc, constant(kThreads), lanes);
    Value rows =
        arith::MulIOp::create(b, loc, rowsAtOnce, constant(kRowsPerThread));
    Division division;
    division.lanes = lanes;
    division.columnTiles = arith::CeilDivSIOp::create(b, loc, columns, lanes);
    division.rowTiles =
        arith::CeilDivSIOp::create(b, loc, size(rank - 2), rows);
    division.grid =
        arith::MulIOp::create(b, loc, division.columnTiles, division.rowTiles);
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      division.grid = arith::MulIOp::create(b, loc, division.grid, size(dim));
    return division;
  }
};

struct OutlineCopiesPass
    : public wgtile::impl::WGTileOutlineCopiesBase<OutlineCopiesPass> {
  using WGTileOutlineCopiesBase::WGTileOutlineCopiesBase;

  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      if (source && source.getRank() > 0 &&
          isa<MemRefType>(copy.getTarget().getType()))
        continue;
      copy.emitOpError("expected memory of a known rank of at least 1");
      return signalPassFailure();
    }
    if (omit)
      llvm::erase_if(copies, [](memref::CopyOp copy) {
        bool isConditional = isa<scf::IfOp>(copy->getParentOp());
        if (isConditional)
          CopyOutliner::omit(copy);
        return isConditional;
      });
    if (copies.empty())
      return;
    CopyOutliner outliner(getOrCreateKernelModule(getOperation()));
    llvm::for_each(copies, [&](memref::CopyOp copy) { outliner.run(copy); });
  }
};
} // namespace
