//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "sattn/Dialect/SAttn/IR/Contract.h"
#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Runtime/Manifest.h"
#include "sattn/Support/AttributeRules.h"
#include "sattn/Support/DifferentiateAttr.h"
#include "sattn/Support/ManifestAttrs.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

using Count = std::optional<int64_t>;

/// The optional parameters of #sattn.meta under their names.
template <typename T>
static std::array<std::pair<StringRef, T>, 7>
nameCounts(T stages, T warps, T rasterGroup, T splitK, T registerRows,
           T registerVectors, T threads) {
  return {{{"stages", stages},
           {"warps", warps},
           {"raster_group", rasterGroup},
           {"split_k", splitK},
           {"register_rows", registerRows},
           {"register_vectors", registerVectors},
           {"threads", threads}}};
}

/// Parses `, stages = 4, warps = 8, raster_group = 2`: each at most once, in
/// any order.
static ParseResult parseMetaSchedule(AsmParser &parser, Count &stages,
                                     Count &warps, Count &rasterGroup,
                                     Count &splitK, Count &registerRows,
                                     Count &registerVectors, Count &threads) {
  auto counts = nameCounts(&stages, &warps, &rasterGroup, &splitK,
                           &registerRows, &registerVectors, &threads);
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    auto *found =
        llvm::find_if(counts, [&](auto entry) { return entry.first == name; });
    if (found == counts.end())
      return parser.emitError(loc)
             << "expected 'stages', 'warps', 'raster_group', 'split_k', "
                "'register_rows', 'register_vectors' or 'threads', but got '"
             << name << "'";
    if (*found->second)
      return parser.emitError(loc) << "expected '" << name << "' once";
    int64_t count;
    if (parser.parseEqual() || parser.parseInteger(count))
      return failure();
    *found->second = count;
  }
  return success();
}

static void printMetaSchedule(AsmPrinter &printer, Count stages, Count warps,
                              Count rasterGroup, Count splitK,
                              Count registerRows, Count registerVectors,
                              Count threads) {
  for (auto [name, count] : nameCounts(stages, warps, rasterGroup, splitK,
                                       registerRows, registerVectors, threads))
    if (count)
      printer << ", " << name << " = " << *count;
}

#include "sattn/Dialect/SAttn/IR/SAttnDialect.cpp.inc"

#include "sattn/Dialect/SAttn/IR/ContractOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/RaiseOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/SAttnInterfaces.cpp.inc"
#include "sattn/Dialect/SAttn/IR/ScoreOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/StorageOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/TuningOpInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.cpp.inc"

namespace {
/// Ops of the dialect depend on nothing but their operands.
struct SAttnInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

namespace sattn {

void SAttnDialect::initialize() {
  addInterfaces<SAttnInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sattn/Dialect/SAttn/IR/SAttnOps.cpp.inc"
      >();
}

/// Attributes of a loop over tiles (Support/TileLoopAttributes.h).
static bool isCount(Attribute attr) {
  auto count = dyn_cast<IntegerAttr>(attr);
  return count && count.getType().isInteger(64) && count.getInt() >= 1;
}

static bool isCounts(Attribute attr) {
  auto counts = dyn_cast<DenseI64ArrayAttr>(attr);
  return counts && llvm::all_of(counts.asArrayRef(),
                                [](int64_t count) { return count >= 1; });
}

static bool isTuning(Attribute attr) {
  auto texts = dyn_cast<DictionaryAttr>(attr);
  return texts && texts.size() == 2 && texts.getAs<StringAttr>("parameters") &&
         texts.getAs<StringAttr>("origin");
}

static bool isAnyOp(Operation *) { return true; }

/// A loop of tensors, or what the loop over tiles becomes in a kernel, an op of
/// another dialect.
static bool isLoop(Operation *op) {
  return op->getNumRegions() == 1 && !isa<FunctionOpInterface>(op);
}

/// The dialect's discardable attributes.
static constexpr AttributeRule kAttributeRules[] = {
    {kTileStagesAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileWarpsAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileRasterGroupAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileSplitKAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileRegisterRowsAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileRegisterVectorsAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kTileThreadsAttrName, isCount, "a positive i64", isLoop, "a loop"},
    {kLoopThreadsAttrName, isAttribute<DenseI64ArrayAttr>, "an array of i64",
     isOp<FunctionOpInterface>, "a function"},
    {kTileConsumerGroupsAttrName, isCounts, "an array of positive i64", isLoop,
     "a loop"},
    {kTileCoversResultsAttrName, isAttribute<UnitAttr>, "a unit attribute",
     isLoop, "a loop"},
    {kTileSkipsResultsAttrName, isAttribute<UnitAttr>, "a unit attribute",
     isLoop, "a loop"},
    {kTuningAttrName, isTuning,
     "a dictionary of the strings 'parameters' and 'origin'", isAnyOp, "an op"},
    {kBlockLoopAttrName, isAttribute<UnitAttr>, "a unit attribute", isLoop,
     "a loop"},
    {kTF32AttrName, isAttribute<UnitAttr>, "a unit attribute", isLoop,
     "a loop"},
    {kContractsAttrName, isArrayOf<DictionaryAttr>, "an array of dictionaries",
     isOp<FunctionOpInterface>, "a function"},
    {kExtentChecksAttrName, isAttribute<DictionaryAttr>, "a dictionary",
     isOp<FunctionOpInterface>, "a function"},
    {kUncheckedAttrName, isAttribute<UnitAttr>, "a unit attribute",
     isOp<FunctionOpInterface>, "a function"},
    {kManifestAttrName, isAttribute<StringAttr>, "a string",
     isOp<FunctionOpInterface>, "a function"},
    {kDifferentiateAttrName, isAttribute<DenseI64ArrayAttr>, "an array of i64",
     isOp<FunctionOpInterface>, "a function"},
    {kNamesAttrName, isArrayOf<StringAttr>, "an array of strings",
     isOp<FunctionOpInterface>, "a function"},
};

LogicalResult SAttnDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  if (failed(verifyAttribute(op, attr, kAttributeRules)))
    return failure();
  if (attr.getName() != kManifestAttrName)
    return success();
  runtime::ErrorOr<runtime::Manifest> manifest =
      runtime::parseManifest(cast<StringAttr>(attr.getValue()).getValue());
  if (manifest)
    return success();
  return op->emitOpError() << "expected '" << kManifestAttrName
                           << "' to be a manifest that the runtime takes, but "
                           << manifest.error().message();
}

LogicalResult MetaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> tile, Count stages,
                               Count warps, Count rasterGroup, Count splitK,
                               Count registerRows, Count registerVectors,
                               Count threads) {
  if (tile.size() != 3)
    return emitError() << "expected 3 tile sizes (M, N, K), but got "
                       << tile.size();
  if (llvm::any_of(tile, [](int64_t size) { return size <= 0; }))
    return emitError() << "expected positive tile sizes, but got [" << tile
                       << "]";
  for (auto [name, count] : nameCounts(stages, warps, rasterGroup, splitK,
                                       registerRows, registerVectors, threads))
    if (count && *count <= 0)
      return emitError() << "expected '" << name << "' to be positive, but got "
                         << *count;
  return success();
}

MetaAttr MetaAttr::get(MLIRContext *context, ArrayRef<int64_t> tile,
                       const TileSchedule &schedule) {
  return get(context, tile, schedule.stages, schedule.warps,
             schedule.rasterGroup, schedule.splitK, schedule.registerRows,
             schedule.registerVectors, schedule.threads);
}

TileSchedule MetaAttr::getSchedule() const {
  return {getStages(), getWarps(),        getRasterGroup(),
          getSplitK(), getRegisterRows(), getRegisterVectors(),
          getThreads()};
}

MetaAttr MetaAttr::withTile(ArrayRef<int64_t> tile) const {
  return get(getContext(), tile, getSchedule());
}

} // namespace sattn
