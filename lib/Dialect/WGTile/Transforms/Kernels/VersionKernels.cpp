//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentViews.h"
#include "PadArguments.h"
#include "RequireUnitStrides.h"

#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/PackedRows.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEVERSIONKERNELS
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
/// A kernel's accesses to an argument that is a memref.
struct Accesses {
  bool byTiles = false, byRegisters = false, isStored = false;
  /// Read into register tiles, as TMA could.
  bool isReadByTiles = false;
  /// Loaded by tiles that TMA takes faster if the rows have no gaps.
  bool isPackable = false;

  bool isOnlyRead() const { return isReadByTiles && !byTiles; }
};

class KernelVersioning {
public:
  KernelVersioning(gpu::GPUFuncOp kernel, LaunchOp launch, int64_t maxPadding)
      : kernel(kernel), launch(launch), maxPadding(maxPadding) {}

  void run() {
    dropSizedViews();
    collectAccesses();
    OpBuilder b(launch);
    if (!hasLoads())
      return alignRegisterAccesses(b);
    if (std::optional<std::string> reason = findReason()) {
      setVersion(launch, "generic");
      launch->setAttr(kReasonAttrName, b.getStringAttr(*reason));
      return remarkGeneric(*reason);
    }
    Value condition = createCondition(b);
    // Where types prove the condition nothing else runs.
    gpu::GPUFuncOp generic;
    if (condition)
      generic = cloneKernel("_generic");
    Value readCondition = createReadCondition(b);
    padArguments(b, condition);
    if (condition)
      setVersion(branchTo(b, condition, generic), "generic");
    setVersion(launch, "aligned");
    substitutePadded();
    if (readCondition) {
      gpu::GPUFuncOp unmapped = cloneKernel("_register_loads");
      unmapped->setAttr(kVersionOfAttrName,
                        FlatSymbolRefAttr::get(kernel.getNameAttr()));
      b.setInsertionPoint(launch);
      LaunchOp other = branchTo(b, readCondition, unmapped);
      setVersion(other, "register_reads");
      mark(unmapped, [](const Accesses &found) { return found.byTiles; });
      requireUnitStrides(unmapped, other);
    }
    mark(kernel, [](const Accesses &found) {
      return found.byTiles || found.isReadByTiles;
    });
    requireUnitStrides(kernel, launch);
  }

private:
  gpu::GPUFuncOp kernel;
  LaunchOp launch;
  /// Bytes of a padded copy, at most.
  int64_t maxPadding;
  /// Accesses by the argument's number.
  llvm::MapVector<unsigned, Accesses> accesses;

  /// An argument that TMA takes directly or as a padded copy.
  struct Padding {
    unsigned argument;
    /// Whether TMA takes it directly; whether the copy is made; and the value
    /// that the kernel gets.
    Value isTaken, isPadded, padded;
  };
  SmallVector<Padding> paddings;

  Value getActual(unsigned argument) { return launch.getArgs()[argument]; }

  /// Makes tiles of scratch memory take the argument instead of the view that
  /// gave it the sizes computed for it (wgtile-outline-kernels): it has these
  /// sizes.
  void dropSizedViews() {
    for (BlockArgument argument : kernel.getArguments()) {
      if (!isScratch(getActual(argument.getArgNumber())))
        continue;
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        auto view = dyn_cast<memref::ReinterpretCastOp>(user);
        if (!view || view.getType() != argument.getType() ||
            llvm::none_of(view->getUsers(),
                          llvm::IsaPred<LoadOp, ReadOp, StoreOp>))
          continue;
        view.replaceAllUsesWith(Value(argument));
        view.erase();
      }
    }
  }

  void collectAccesses() {
    for (BlockArgument argument : kernel.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type)
        continue;
      Accesses found;
      bool hasMap = type.getRank() >= 2 && type.getRank() <= kMaxTensorMapRank;
      for (Operation *user : getUsersThroughViews(argument)) {
        found.byTiles |= isa<LoadOp>(user);
        if (auto load = dyn_cast<LoadOp>(user))
          found.isPackable |= hasTMA() && mayPackRows(load);
        found.byTiles |= isa<StoreOp>(user) && hasMap;
        found.byRegisters |= isa<ReadOp, StoreOp>(user);
        found.isStored |= isa<ScatterOp, StoreOp>(user);
        if (auto read = dyn_cast<ReadOp>(user))
          found.isReadByTiles |=
              hasMap && read.getTile().getType().getRank() == 2;
      }
      accesses[argument.getArgNumber()] = found;
    }
  }

  static Value combine(OpBuilder &b, Location loc, Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return arith::AndIOp::create(b, loc, lhs, rhs);
  }

  static void setVersion(LaunchOp launch, StringRef version) {
    launch->setAttr(kVersionAttrName,
                    StringAttr::get(launch.getContext(), version));
  }

  void remarkGeneric(StringRef reason) {
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("GenericVersion")
                                        .category("wgtile-version-kernels"))
        << ("only the generic specialization of kernel '" + kernel.getName() +
            "' can run: " + reason)
               .str();
  }

  bool hasLoads() {
    return kernel.walk([](LoadOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Makes a kernel that only reads and stores register tiles move 16 bytes at
  /// a time where TMA could take the arguments; the generic specialization
  /// takes all others.
  void alignRegisterAccesses(OpBuilder &b) {
    if (hasOtherMemory(/*takesViews=*/true))
      return;
    SmallVector<Operation *> accesses16;
    llvm::SmallDenseSet<unsigned> aligned;
    kernel.walk([&](Operation *op) {
      Value memory, column;
      RankedTensorType tile;
      if (auto read = dyn_cast<ReadOp>(op); read && !read.getTransposed()) {
        memory = read.getSource();
        column = read.getIndices().back();
        tile = read.getTile().getType();
      } else if (auto store = dyn_cast<StoreOp>(op);
                 store && !store.getTransposed()) {
        memory = store.getDest();
        column = store.getIndices().back();
        tile = store.getTile().getType();
      } else {
        return;
      }
      int64_t rank = cast<MemRefType>(memory.getType()).getRank();
      if (tile.getRank() != 2 || rank < 2 || rank > kMaxTensorMapRank ||
          !isAtChunk(column, tile.getElementType()))
        return;
      unsigned argument = getViewedArgument(memory).getArgNumber();
      Value actual = getActual(argument);
      if (isScratch(actual) && getPartialChunks(actual) != 0)
        return;
      accesses16.push_back(op);
      aligned.insert(argument);
    });
    if (aligned.empty())
      return simplifyElementAccesses(b);
    Location loc = launch.getLoc();
    Value condition;
    for (auto [argument, found] : accesses) {
      Value actual = getActual(argument);
      if (aligned.contains(argument))
        condition = combine(b, loc, condition, createIsTaken(b, loc, actual));
      else if (found.byRegisters)
        condition =
            combine(b, loc, condition, createHasUnitStride(b, loc, actual));
    }
    if (condition)
      setVersion(branchTo(b, condition, cloneKernel("_generic")), "generic");
    setVersion(launch, "aligned");
    for (Operation *op : accesses16)
      if (auto read = dyn_cast<ReadOp>(op))
        read.setAligned(true);
      else
        cast<StoreOp>(op).setAligned(true);
    requireUnitStrides(kernel, launch);
  }

  /// A kernel that stores only single elements computes their places without
  /// strides where those are 1; the generic specialization takes all others.
  void simplifyElementAccesses(OpBuilder &b) {
    llvm::SmallDenseSet<unsigned> accessed;
    bool scatters = false;
    for (BlockArgument argument : kernel.getArguments())
      if (auto type = dyn_cast<MemRefType>(argument.getType());
          type && type.getRank() != 0)
        for (Operation *user : getUsersThroughParts(argument))
          if (isa<GatherOp, ScatterOp>(user)) {
            accessed.insert(argument.getArgNumber());
            scatters |= isa<ScatterOp>(user);
          }
    if (!scatters)
      return;
    Value condition;
    for (auto &[argument, found] : accesses)
      if (accessed.contains(argument))
        condition = combine(
            b, launch.getLoc(), condition,
            createHasUnitStride(b, launch.getLoc(), getActual(argument)));
    if (!condition)
      return;
    setVersion(branchTo(b, condition, cloneKernel("_generic")), "generic");
    setVersion(launch, "aligned");
    requireUnitStrides(kernel, launch, [&](BlockArgument argument) {
      return accessed.contains(argument.getArgNumber());
    });
  }

  /// The users of an argument or of parts of it.
  static SmallVector<Operation *> getUsersThroughParts(Value memory) {
    SmallVector<Operation *> users;
    for (Operation *user : memory.getUsers())
      if (auto part = dyn_cast<memref::SubViewOp>(user))
        llvm::append_range(users, getUsersThroughParts(part));
      else
        users.push_back(user);
    return users;
  }

  /// Why the kernel has only a generic specialization, or nothing.
  std::optional<std::string> findReason() {
    bool hasMaps = true;
    kernel.walk([&](LoadOp load) {
      auto source = dyn_cast<MemRefType>(load.getSource().getType());
      hasMaps &= !source || source.getRank() <= kMaxTensorMapRank;
    });
    if (!hasMaps)
      return "it loads tiles of a tensor of rank above " +
             std::to_string(kMaxTensorMapRank) + ", the most that TMA takes";
    if (hasOtherMemory())
      return "it takes tiles of a transposed or reshaped view";
    for (auto [argument, found] : accesses) {
      Value actual = getActual(argument);
      if (!found.byTiles || !(found.isStored || isScratch(actual)))
        continue;
      if (int64_t columns = getPartialChunks(actual))
        return llvm::formatv(
                   "rows of what {0} have {1} elements, and TMA {2} "
                   "multiples of {3} bytes",
                   found.isStored ? "it stores" : "the program computes",
                   columns, found.isStored ? "stores" : "takes", kRowAlignment)
            .str();
    }
    return std::nullopt;
  }

  /// The static length of rows if it is no multiple of TMA's chunks, else 0.
  static int64_t getPartialChunks(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    int64_t columns = type.getShape().back();
    return ShapedType::isDynamic(columns) || columns % getChunk(type) == 0
               ? 0
               : columns;
  }

  /// Whether a value is scratch memory, an array without gaps.
  static bool isScratch(Value actual) {
    auto alloc = actual.getDefiningOp<memref::AllocOp>();
    return alloc && alloc.getType().getLayout().isIdentity();
  }

  /// Whether the kernel reads or writes tiles of memory that the host cannot
  /// describe: views, by the kernel or of the program's own memory.
  /// With `takesViews`, what rows of the program's memory make up is not other.
  bool hasOtherMemory(bool takesViews = false) {
    bool found = false;
    kernel.walk([&](Operation *op) {
      Value memory;
      if (auto load = dyn_cast<LoadOp>(op))
        memory = load.getSource();
      else if (auto read = dyn_cast<ReadOp>(op))
        memory = read.getSource();
      else if (auto store = dyn_cast<StoreOp>(op))
        memory = store.getDest();
      else
        return;
      BlockArgument argument = takesViews ? getViewedArgument(memory)
                                          : dyn_cast<BlockArgument>(memory);
      Value actual = argument ? getActual(argument.getArgNumber()) : Value();
      found |= !argument || !(isa<BlockArgument>(actual) || isScratch(actual));
    });
    return found;
  }

  /// The condition that TMA can take all arguments that are loaded and stored
  /// by tiles, or copies of them, and that rows of arguments that are only read
  /// into registers have no gaps.
  Value createCondition(OpBuilder &b) {
    Location loc = launch.getLoc();
    Value condition;
    for (auto [argument, found] : accesses) {
      Value actual = getActual(argument);
      if (found.byTiles) {
        Value isTaken = createIsTaken(b, loc, actual);
        if (found.isStored)
          isTaken =
              combine(b, loc, isTaken, createHasWholeChunks(b, loc, actual));
        if (found.isPackable)
          condition =
              combine(b, loc, condition, createHasDenseRows(b, loc, actual));
        Value accepted = isTaken;
        if (maxPadding > 0 && canPad(cast<MemRefType>(actual.getType()))) {
          paddings.push_back({argument, isTaken, {}, {}});
          accepted = arith::OrIOp::create(
              b, loc, isTaken, createFits(b, loc, actual, maxPadding));
        }
        condition = combine(b, loc, condition, accepted);
      } else if (found.byRegisters) {
        condition =
            combine(b, loc, condition, createHasUnitStride(b, loc, actual));
      }
    }
    return condition;
  }

  /// The condition that TMA can take the arguments that are only read into
  /// registers. Null if there are none.
  Value createReadCondition(OpBuilder &b) {
    Location loc = launch.getLoc();
    Value condition;
    for (auto [argument, found] : accesses)
      if (found.isOnlyRead())
        condition = combine(b, loc, condition,
                            createIsTaken(b, loc, getActual(argument)));
    return condition;
  }

  /// Copies arguments that TMA does not take as they are to memory that it
  /// does, if another specialization than the generic one runs. They lie before
  /// the branch, so that what the host computes from the kernel's arguments
  /// may.
  void padArguments(OpBuilder &b, Value condition) {
    Location loc = launch.getLoc();
    Value no = paddings.empty()
                   ? Value()
                   : arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
    for (Padding &padding : paddings) {
      Value isNotTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               padding.isTaken, no);
      padding.isPadded = combine(b, loc, condition, isNotTaken);
      padding.padded =
          createPadded(b, loc, getActual(padding.argument), padding.isPadded,
                       !isOverwritten(kernel.getArgument(padding.argument)));
    }
  }

  /// Gives the kernel the copies, and copies back what it stores.
  void substitutePadded() {
    OpBuilder b(launch->getContext());
    b.setInsertionPointAfter(launch);
    Location loc = launch.getLoc();
    for (const Padding &padding : paddings) {
      OpOperand &operand = launch.getArgsMutable()[padding.argument];
      if (accesses[padding.argument].isStored) {
        auto branch = scf::IfOp::create(b, loc, padding.isPadded);
        OpBuilder inside = branch.getThenBodyBuilder();
        memref::CopyOp::create(inside, loc, padding.padded, operand.get());
      }
      operand.set(padding.padded);
    }
  }

  /// Launches the kernel if a condition holds, and a clone otherwise; returns
  /// the clone's launch.
  LaunchOp branchTo(OpBuilder &b, Value condition, gpu::GPUFuncOp otherwise) {
    auto branch =
        scf::IfOp::create(b, launch.getLoc(), condition, /*withElse=*/true);
    auto copy = cast<LaunchOp>(b.clone(*launch));
    copy->moveBefore(branch.elseBlock()->getTerminator());
    copy.setKernelAttr(
        SymbolRefAttr::get(launch.getKernel().getRootReference(),
                           {FlatSymbolRefAttr::get(otherwise.getNameAttr())}));
    launch->moveBefore(branch.thenBlock()->getTerminator());
    return copy;
  }

  /// Whether TMA can take an argument of the function, or scratch memory: it
  /// begins where TMA can and has no gaps, so that its sizes say it. Null if
  /// the type proves it.
  static Value createIsTaken(OpBuilder &b, Location loc, Value actual) {
    if (!isScratch(actual))
      return TmaCompatibleOp::create(b, loc, b.getI1Type(), actual);
    if (getPartialChunks(actual) != 0)
      return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
    Value condition = createHasWholeChunks(b, loc, actual);
    auto type = cast<MemRefType>(actual.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value size = b.createOrFold<memref::DimOp>(loc, actual, dim);
      Value most = arith::ConstantIndexOp::create(b, loc, kMaxTensorMapExtent);
      condition = combine(
          b, loc, condition,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, size, most));
    }
    return condition;
  }

  /// Whether rows are whole chunks of TMA. TMA stores only whole chunks, so it
  /// would overwrite the memory after shorter rows. Null if the type proves it.
  static Value createHasWholeChunks(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    if (!ShapedType::isDynamic(type.getShape().back()))
      return {};
    Value size = b.createOrFold<memref::DimOp>(loc, memref, type.getRank() - 1);
    Value elements = arith::ConstantIndexOp::create(b, loc, getChunk(type));
    Value chunks = arith::FloorDivSIOp::create(b, loc, size, elements);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        arith::MulIOp::create(b, loc, chunks, elements), size);
  }

  /// Whether the elements of a row are contiguous; null if the type proves it.
  static Value createHasUnitStride(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (type.getRank() == 0 ||
        failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() == 1)
      return {};
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    auto compare = [&](arith::CmpIPredicate predicate, Value value,
                       int64_t number) -> Value {
      return arith::CmpIOp::create(
          b, loc, predicate, value,
          arith::ConstantIndexOp::create(b, loc, number));
    };
    return arith::OrIOp::create(
        b, loc,
        compare(arith::CmpIPredicate::eq, metadata.getStrides().back(), 1),
        compare(arith::CmpIPredicate::slt, metadata.getSizes().back(), 2));
  }

  /// Whether the rows of a matrix follow one another; null if the type proves
  /// it.
  static Value createHasDenseRows(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset, columns = type.getShape().back();
    if (succeeded(type.getStridesAndOffset(strides, offset)) &&
        *(strides.end() - 2) == columns)
      return {};
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        metadata.getStrides()[type.getRank() - 2],
        arith::ConstantIndexOp::create(b, loc, columns));
  }

  bool hasTMA() {
    auto target =
        kernel->getParentOfType<gpu::GPUModuleOp>()->getAttrOfType<TargetAttr>(
            kTargetAttrName);
    return target && target.getResources().hasTMA;
  }

  gpu::GPUFuncOp cloneKernel(StringRef suffix) {
    gpu::GPUFuncOp clone = kernel.clone();
    clone.setName((kernel.getName() + suffix).str());
    SymbolTable(kernel->getParentOp())
        .insert(clone, std::next(kernel->getIterator()));
    return clone;
  }

  /// Whether a tile of a mapped argument starts at a multiple of TMA's
  /// alignment.
  static bool isAligned(gpu::GPUFuncOp version, Value memref, Value column,
                        Type element) {
    auto argument = dyn_cast<BlockArgument>(memref);
    return argument &&
           version.getArgAttr(argument.getArgNumber(),
                              kTMACompatibleAttrName) &&
           isAtChunk(column, element);
  }

  /// Whether a column is at a multiple of TMA's alignment in its row.
  static bool isAtChunk(Value column, Type element) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    return bytes > 0 && isKnownMultipleOf(column, kRowAlignment / bytes);
  }

  /// Marks the TMA specialization and the arguments that TMA takes.
  void mark(gpu::GPUFuncOp version,
            llvm::function_ref<bool(const Accesses &)> isMapped) {
    UnitAttr yes = UnitAttr::get(version.getContext());
    version->setAttr(kTMAAttrName, yes);
    for (auto [argument, found] : accesses)
      if (isMapped(found))
        version.setArgAttr(argument, kTMACompatibleAttrName, yes);
    for (auto [argument, found] : accesses)
      if (found.isPackable)
        version.setArgAttr(argument, kDenseRowsAttrName, yes);
    version.walk([&](LoadOp load) {
      int64_t bytes = load.getTile().getType().getElementBytes();
      if (isKnownMultipleOf(load.getIndices().back(), kRowAlignment / bytes))
        load.setAligned(true);
    });
    version.walk([&](ReadOp read) {
      RankedTensorType tile = read.getTile().getType();
      if (tile.getRank() == 2 &&
          isAligned(version, read.getSource(), read.getIndices().back(),
                    tile.getElementType()))
        read.setAligned(true);
    });
    version.walk([&](StoreOp store) {
      RankedTensorType tile = store.getTile().getType();
      if (tile.getRank() == 2 &&
          isAligned(version, store.getDest(), store.getIndices().back(),
                    tile.getElementType()))
        store.setAligned(true);
    });
  }
};

struct VersionKernelsPass
    : public wgtile::impl::WGTileVersionKernelsBase<VersionKernelsPass> {
  using WGTileVersionKernelsBase::WGTileVersionKernelsBase;

  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      KernelVersioning(kernel, launch, maxPadding).run();
  }
};
} // namespace
