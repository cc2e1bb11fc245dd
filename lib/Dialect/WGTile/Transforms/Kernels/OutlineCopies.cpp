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

#include "TransposeBytes.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
/// element type share a kernel; `hasRows`: elements of a row have no gaps.
static Value castToDynamic(OpBuilder &b, Location loc, Value memref,
                           bool hasRows = false) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> dynamic(type.getRank(), ShapedType::kDynamic);
  SmallVector<int64_t> strides = dynamic;
  if (hasRows)
    strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  auto result = MemRefType::get(dynamic, type.getElementType(), layout);
  return result == type ? memref
                        : memref::CastOp::create(b, loc, result, memref);
}

namespace {
/// A copy on the host, or one that swaps the last two dimensions.
struct HostCopy {
  Operation *op;
  Value source, target;
  bool isTransposed = false;

  /// The copy that an op makes; nothing for any other op.
  static std::optional<HostCopy> match(Operation *op) {
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return HostCopy{op, copy.getSource(), copy.getTarget()};
    auto transpose = dyn_cast<linalg::TransposeOp>(op);
    if (!transpose || !transpose.hasPureBufferSemantics())
      return std::nullopt;
    SmallVector<int64_t> swapped =
        llvm::to_vector(llvm::seq<int64_t>(transpose.getPermutation().size()));
    if (swapped.size() < 2)
      return std::nullopt;
    std::swap(swapped.end()[-1], swapped.end()[-2]);
    if (transpose.getPermutation() != ArrayRef(swapped))
      return std::nullopt;
    return HostCopy{op, transpose.getInput(), transpose.getInit(),
                    /*isTransposed=*/true};
  }

  /// The name of the kernel, without what makes it unique.
  std::string getKernelName() const {
    auto function = op->getParentOfType<func::FuncOp>();
    int64_t rank = cast<MemRefType>(source.getType()).getRank();
    return wgtile::getKernelName(function.getName()) +
           (isTransposed ? "_transpose_" : "_copy_") + std::to_string(rank) +
           "d";
  }
};

/// How CTAs divide a copy.
struct Division {
  /// Threads side by side in a row; tiles along the columns and the rows.
  Value lanes, columnTiles, rowTiles;
  /// CTAs in all.
  Value grid;
};

class CopyKernel : KernelBuilder {
public:
  CopyKernel(Location loc, MemRefType type, bool isTransposed,
             gpu::GPUModuleOp module, SymbolTable &symbols)
      : KernelBuilder(loc, module, symbols), type(type),
        isTransposed(isTransposed) {}

  /// Builds the kernel. Its arguments: source, destination, and the division
  /// without the grid.
  gpu::GPUFuncOp build(StringRef name) {
    SmallVector<Type> types{type, type};
    types.append(3, b.getIndexType());
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    Value source = kernel.getArgument(0), dest = kernel.getArgument(1);
    Value shape = isTransposed ? dest : source;
    Value lanes = toI32(kernel.getArgument(2));
    Value columnTiles = toI32(kernel.getArgument(3));
    Value rowTiles = toI32(kernel.getArgument(4));

    Value block = toI32(gpu::BlockIdOp::create(b, gpu::Dimension::x));
    Value columnTile = rem(block, columnTiles);
    Value rest = div(block, columnTiles);
    Value rowTile = rem(rest, rowTiles);
    SmallVector<Value> indices = findPlane(shape, div(rest, rowTiles));
    Value thread = toI32(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
    Value column = toIndex(add(mul(columnTile, lanes), rem(thread, lanes)));
    Value rowsAtOnce = div(i32(kThreads), lanes);
    Value firstRow =
        toIndex(add(mul(mul(rowTile, rowsAtOnce), i32(kRowsPerThread)),
                    div(thread, lanes)));
    int64_t rank = type.getRank();
    Value columns = memref::DimOp::create(b, shape, rank - 1);
    // Past the end the last row is copied once more.
    Value lastRow =
        rank < 2 ? index(0)
                 : sub(memref::DimOp::create(b, shape, rank - 2), index(1));
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
        places.push_back(place);
        if (isTransposed)
          std::swap(place.end()[-1], place.end()[-2]);
        elements.push_back(load(source, place));
      }
      for (auto [element, place] : llvm::zip_equal(elements, places))
        store(element, dest, place);
    });
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  MemRefType type;
  bool isTransposed;
};

class CopyOutliner {
public:
  explicit CopyOutliner(gpu::GPUModuleOp module)
      : module(module), symbols(module) {}

  void run(const HostCopy &copy) {
    OpBuilder b(copy.op);
    Location loc = copy.op->getLoc();
    if (mayMoveChunks(copy)) {
      auto branch = scf::IfOp::create(b, loc, createMovesChunks(b, loc, copy),
                                      /*withElse=*/true);
      OpBuilder inBranch = branch.getThenBodyBuilder();
      launchChunks(inBranch, loc, copy);
      b = branch.getElseBodyBuilder();
    }
    launchElements(b, loc, copy);
    copy.op->erase();
  }

  /// Refuses calls that need the copy, unless it copies nothing.
  static void omit(const HostCopy &copy) {
    OpBuilder b(copy.op);
    Location loc = copy.op->getLoc();
    Value isEmpty = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, divide(b, loc, copy).grid,
        arith::ConstantIndexOp::create(b, loc, 0));
    auto refusal = cf::AssertOp::create(b, loc, isEmpty, copy.getKernelName());
    refusal->setAttr(kVersionAttrName, b.getStringAttr(kCopyVersion));
    copy.op->erase();
  }

private:
  static constexpr llvm::StringLiteral kCopyVersion = "copy";

  gpu::GPUModuleOp module;
  SymbolTable symbols;
  /// Kernels by the type of source and destination, and whether they transpose.
  DenseMap<std::pair<Type, unsigned>, gpu::GPUFuncOp> kernels;

  /// Kernels by the type of source and destination.
  DenseMap<Type, gpu::GPUFuncOp> byteTransposes;

  void launchElements(OpBuilder &b, Location loc, const HostCopy &copy) {
    Division division = divide(b, loc, copy);
    Value source = castToDynamic(b, loc, copy.source);
    Value target = castToDynamic(b, loc, copy.target);
    launch(b, loc, getKernel(copy, cast<MemRefType>(source.getType())),
           division.grid,
           {source, target, division.lanes, division.columnTiles,
            division.rowTiles});
  }

  void launch(OpBuilder &b, Location loc, gpu::GPUFuncOp kernel, Value grid,
              ValueRange arguments) {
    auto launch = LaunchOp::create(
        b, loc,
        SymbolRefAttr::get(module.getNameAttr(),
                           {FlatSymbolRefAttr::get(kernel.getNameAttr())}),
        grid, arguments);
    launch->setAttr(kVersionAttrName, b.getStringAttr(kCopyVersion));
  }

  /// Whether 16 bytes may be moved at a time: of an argument of the function,
  /// whose strides the host knows, to scratch memory without gaps.
  static bool mayMoveChunks(const HostCopy &copy) {
    auto type = cast<MemRefType>(copy.source.getType());
    auto scratch = copy.target.getDefiningOp<memref::AllocOp>();
    // Which strides a type leaves open are known at the call.
    auto [strides, offset] = type.getStridesAndOffset();
    bool mayHaveRows =
        ShapedType::isDynamic(strides.back()) || strides.back() == 1;
    return scratch && mayHaveRows &&
           scratch.getType().getLayout().isIdentity() && copy.isTransposed &&
           type.getElementTypeBitWidth() == 8 &&
           type.getRank() <= kMaxTensorMapRank &&
           isa<BlockArgument>(copy.source);
  }

  static Value createMovesChunks(OpBuilder &b, Location loc,
                                 const HostCopy &copy) {
    int64_t rank = cast<MemRefType>(copy.source.getType()).getRank();
    Value condition =
        TmaCompatibleOp::create(b, loc, b.getI1Type(), copy.source);
    Value chunk = arith::ConstantIndexOp::create(b, loc, kTransposedChunk);
    for (int64_t dim : {rank - 2, rank - 1}) {
      Value size = memref::DimOp::create(b, loc, copy.source, dim);
      Value chunks = arith::FloorDivSIOp::create(b, loc, size, chunk);
      Value isWhole = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          arith::MulIOp::create(b, loc, chunks, chunk), size);
      condition = arith::AndIOp::create(b, loc, condition, isWhole);
    }
    return condition;
  }

  void launchChunks(OpBuilder &b, Location loc, const HostCopy &copy) {
    Value source = castToDynamic(b, loc, copy.source, /*hasRows=*/true);
    Value target = castToDynamic(b, loc, copy.target, /*hasRows=*/true);
    auto type = cast<MemRefType>(source.getType());
    gpu::GPUFuncOp &kernel = byteTransposes[type];
    if (!kernel)
      kernel = createByteTranspose(copy.getKernelName() + "_by_16", loc, type,
                                   module, symbols);
    Value tile = arith::ConstantIndexOp::create(b, loc, kTransposedTile);
    auto size = [&](int64_t dim) -> Value {
      return memref::DimOp::create(b, loc, copy.source, dim);
    };
    int64_t rank = type.getRank();
    Value columnTiles =
        arith::CeilDivSIOp::create(b, loc, size(rank - 1), tile);
    Value rowTiles = arith::CeilDivSIOp::create(b, loc, size(rank - 2), tile);
    Value grid = arith::MulIOp::create(b, loc, columnTiles, rowTiles);
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      grid = arith::MulIOp::create(b, loc, grid, size(dim));
    launch(b, loc, kernel, grid, {source, target, columnTiles, rowTiles});
  }

  gpu::GPUFuncOp getKernel(const HostCopy &copy, MemRefType type) {
    gpu::GPUFuncOp &kernel = kernels[{type, copy.isTransposed}];
    if (!kernel)
      kernel = CopyKernel(copy.op->getLoc(), type, copy.isTransposed, module,
                          symbols)
                   .build(copy.getKernelName());
    return kernel;
  }

  /// The division of the target among threads; the source has its sizes.
  static Division divide(OpBuilder &b, Location loc, const HostCopy &copy) {
    int64_t rank = cast<MemRefType>(copy.source.getType()).getRank();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto size = [&](int64_t dim) -> Value {
      if (dim < 0)
        return constant(1);
      if (copy.isTransposed && dim >= rank - 2)
        dim = 2 * rank - 3 - dim;
      return memref::DimOp::create(b, loc, copy.source, dim);
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
    SmallVector<HostCopy> copies;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (std::optional<HostCopy> copy = HostCopy::match(op))
          copies.push_back(*copy);
      });
    for (const HostCopy &copy : copies) {
      auto source = dyn_cast<MemRefType>(copy.source.getType());
      if (source && source.getRank() > 0 &&
          isa<MemRefType>(copy.target.getType()))
        continue;
      copy.op->emitOpError("expected memory of a known rank of at least 1");
      return signalPassFailure();
    }
    if (omit)
      llvm::erase_if(copies, [](const HostCopy &copy) {
        bool isConditional = isa<scf::IfOp>(copy.op->getParentOp());
        if (isConditional)
          CopyOutliner::omit(copy);
        return isConditional;
      });
    if (copies.empty())
      return;
    CopyOutliner outliner(getOrCreateKernelModule(getOperation()));
    llvm::for_each(copies, [&](const HostCopy &copy) { outliner.run(copy); });
  }
};
} // namespace
