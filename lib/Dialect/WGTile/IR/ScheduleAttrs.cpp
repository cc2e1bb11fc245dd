//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Text and verification of #wgtile.target and #wgtile.schedule. The constraint
// numbers are those of the attributes' descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

using namespace mlir;
using namespace wgtile;
using sattn::ChipResources;

using EmitError = function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

namespace {
template <typename Struct, typename T> struct Field {
  StringLiteral name;
  T Struct::*member;
};
} // namespace

static constexpr Field<ChipResources, int64_t> kNumbersOfChip[] = {
    {"shared_bytes", &ChipResources::sharedBytes},
    {"shared_bytes_per_sm", &ChipResources::sharedBytesPerSM},
    {"reserved_shared_bytes", &ChipResources::reservedSharedBytes},
    {"registers_per_sm", &ChipResources::registersPerSM},
    {"registers_per_thread", &ChipResources::registersPerThread},
    {"threads_per_cta", &ChipResources::threadsPerCTA},
    {"ctas_per_sm", &ChipResources::ctasPerSM},
};
static constexpr Field<ChipResources, bool> kFlagsOfChip[] = {
    {"tma", &ChipResources::hasTMA},
    {"wgmma", &ChipResources::hasWgmma},
    {"clusters", &ChipResources::hasClusters},
};

static constexpr Field<Schedule, std::optional<int64_t>> kNumbers[] = {
    {"warps", &Schedule::warps},
    {"stages", &Schedule::stages},
    {"tile_stages", &Schedule::tileStages},
    {"ctas_per_sm", &Schedule::ctasPerSM},
    {"entry_registers", &Schedule::entryRegisters},
    {"producer_registers", &Schedule::producerRegisters},
    {"consumer_registers", &Schedule::consumerRegisters},
    {"raster_group", &Schedule::rasterGroup},
    {"split_k", &Schedule::splitK},
};
static constexpr Field<Schedule, std::optional<bool>> kFlags[] = {
    {"specialized", &Schedule::specialized},
    {"borrow", &Schedule::borrow},
    {"overlap", &Schedule::overlap},
    {"order_warpgroups", &Schedule::orderWarpgroups},
    {"persistent", &Schedule::persistent},
    {"dynamic", &Schedule::dynamic},
    {"programmatic_launch", &Schedule::programmaticLaunch},
};
static constexpr std::pair<StringLiteral, TileOrder> kTileOrders[] = {
    {"ascending", TileOrder::Ascending},
    {"descending", TileOrder::Descending},
    {"sorted", TileOrder::Sorted},
};

static auto tie(const Schedule &s) {
  return std::tie(s.specialized, s.warps, s.stages, s.tileStages, s.borrow,
                  s.ctasPerSM, s.entryRegisters, s.producerRegisters,
                  s.consumerRegisters, s.overlap, s.orderWarpgroups,
                  s.persistent, s.dynamic, s.programmaticLaunch, s.rasterGroup,
                  s.splitK, s.tileOrder);
}

bool wgtile::operator==(const Schedule &lhs, const Schedule &rhs) {
  return tie(lhs) == tie(rhs);
}

llvm::hash_code wgtile::hash_value(const Schedule &schedule) {
  return std::apply(
      [](const auto &...fields) { return llvm::hash_combine(fields...); },
      tie(schedule));
}

bool sattn::operator==(const ChipResources &lhs, const ChipResources &rhs) {
  auto equal = [&](const auto &field) {
    return lhs.*field.member == rhs.*field.member;
  };
  return llvm::all_of(kNumbersOfChip, equal) &&
         llvm::all_of(kFlagsOfChip, equal);
}

llvm::hash_code sattn::hash_value(const ChipResources &resources) {
  llvm::hash_code code = llvm::hash_value(0);
  for (const auto &field : kNumbersOfChip)
    code = llvm::hash_combine(code, resources.*field.member);
  for (const auto &field : kFlagsOfChip)
    code = llvm::hash_combine(code, resources.*field.member);
  return code;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses the value of the field `name`; `isKnown` says whether there is such a
/// field.
template <typename Fields, typename Struct>
static ParseResult parseNumber(AsmParser &parser, const Fields &fields,
                               StringRef name, Struct &value, bool &isKnown) {
  for (const auto &field : fields)
    if (field.name == name) {
      isKnown = true;
      int64_t number;
      if (parser.parseInteger(number))
        return failure();
      value.*field.member = number;
    }
  return success();
}

static ParseResult parseWord(AsmParser &parser, StringRef &word,
                             ArrayRef<StringRef> words) {
  if (succeeded(parser.parseOptionalKeyword(&word, words)))
    return success();
  return parser.emitError(parser.getCurrentLocation())
         << "expected one of " << llvm::join(words, ", ");
}

template <typename Fields, typename Struct>
static ParseResult parseFlag(AsmParser &parser, const Fields &fields,
                             StringRef name, Struct &value, bool &isKnown) {
  for (const auto &field : fields)
    if (field.name == name) {
      isKnown = true;
      StringRef word;
      if (parseWord(parser, word, {"true", "false"}))
        return failure();
      value.*field.member = word == "true";
    }
  return success();
}

/// Parses `name = ` and refuses a name that has come before.
static FailureOr<StringRef> parseName(AsmParser &parser,
                                      SmallVectorImpl<StringRef> &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (llvm::is_contained(seen, name)) {
    parser.emitError(loc) << "expected each field once, but got '" << name
                          << "' again";
    return failure();
  }
  seen.push_back(name);
  if (parser.parseEqual())
    return failure();
  return name;
}

static ParseResult refuseField(AsmParser &parser, StringRef kind,
                               StringRef name) {
  return parser.emitError(parser.getCurrentLocation())
         << "expected a field of a " << kind << ", but got '" << name << "'";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  Schedule schedule;
  SmallVector<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    FailureOr<StringRef> name = parseName(parser, seen);
    if (failed(name))
      return failure();
    bool isKnown = false;
    if (parseNumber(parser, kNumbers, *name, schedule, isKnown) ||
        parseFlag(parser, kFlags, *name, schedule, isKnown))
      return failure();
    if (isKnown)
      return success();
    if (*name != "tile_order")
      return refuseField(parser, "schedule", *name);
    StringRef word;
    if (parseWord(parser, word, {"ascending", "descending", "sorted"}))
      return failure();
    for (auto [keyword, order] : kTileOrders)
      if (keyword == word)
        schedule.tileOrder = order;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<ScheduleAttr>(loc, parser.getContext(), schedule);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  Schedule schedule = getFields();
  printer << "<";
  llvm::ListSeparator separator(", ");
  auto printFlags = [&](StringRef from, StringRef to) {
    bool isInside = false;
    for (const auto &field : kFlags) {
      isInside |= field.name == from;
      if (isInside && schedule.*field.member)
        printer << StringRef(separator) << field.name << " = "
                << (*(schedule.*field.member) ? "true" : "false");
      isInside &= field.name != to;
    }
  };
  printFlags("specialized", "specialized");
  for (const auto &field : kNumbers)
    if (schedule.*field.member)
      printer << StringRef(separator) << field.name << " = "
              << *(schedule.*field.member);
  printFlags("borrow", "programmatic_launch");
  if (schedule.tileOrder)
    for (auto [keyword, order] : kTileOrders)
      if (order == *schedule.tileOrder)
        printer << StringRef(separator) << "tile_order = " << keyword;
  printer << ">";
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string chip;
  if (parser.parseLess() || parser.parseKeyword("chip") ||
      parser.parseEqual() || parser.parseString(&chip))
    return {};
  std::optional<sattn::Chip> known = sattn::findChip(chip);
  ChipResources resources;
  if (known)
    resources = *known;
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    FailureOr<StringRef> name = parseName(parser, seen);
    if (failed(name))
      return {};
    bool isKnown = false;
    if (parseNumber(parser, kNumbersOfChip, *name, resources, isKnown) ||
        parseFlag(parser, kFlagsOfChip, *name, resources, isKnown) ||
        (!isKnown && refuseField(parser, "target", *name)))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (llvm::is_contained(seen, "shared_bytes") &&
      !llvm::is_contained(seen, "shared_bytes_per_sm") &&
      resources.sharedBytes < INT32_MAX)
    resources.sharedBytesPerSM =
        resources.sharedBytes + resources.reservedSharedBytes;
  if (!known && !llvm::is_contained(seen, "shared_bytes")) {
    parser.emitError(loc) << sattn::explainUnknownChip(chip)
                          << " without 'shared_bytes'";
    return {};
  }
  return parser.getChecked<TargetAttr>(loc, parser.getContext(),
                                       StringRef(chip), resources);
}

/// Prints the chip, and the resources that differ from the chip's own.
void TargetAttr::print(AsmPrinter &printer) const {
  std::optional<sattn::Chip> known = sattn::findChip(getChip());
  ChipResources resources = getResources();
  printer << "<chip = \"" << getChip() << "\"";
  for (const auto &field : kNumbersOfChip)
    if (!known || (*known).*field.member != resources.*field.member)
      printer << ", " << field.name << " = " << resources.*field.member;
  for (const auto &field : kFlagsOfChip)
    if (!known || (*known).*field.member != resources.*field.member)
      printer << ", " << field.name << " = "
              << (resources.*field.member ? "true" : "false");
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyRange(EmitError emitError, StringRef name,
                                 int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return success();
  return emitError() << "expected '" << name << "' to be from " << least
                     << " to " << most << ", but got " << value;
}

LogicalResult TargetAttr::verify(EmitError emitError, StringRef chip,
                                 ChipResources resources) {
  // (C1)
  for (const auto &field : kNumbersOfChip)
    if (failed(verifyRange(emitError, field.name, resources.*field.member,
                           field.name != "reserved_shared_bytes", INT32_MAX)))
      return failure();
  // (C2)
  if (resources.sharedBytes + resources.reservedSharedBytes <=
      resources.sharedBytesPerSM)
    return success();
  return emitError() << "expected at most " << resources.sharedBytesPerSM
                     << " bytes of shared memory, those of an SM, but got "
                     << resources.sharedBytes << " and "
                     << resources.reservedSharedBytes << " reserved";
}

LogicalResult ScheduleAttr::verify(EmitError emitError, Schedule schedule) {
  for (const auto &field : kNumbers) {
    std::optional<int64_t> value = schedule.*field.member;
    if (!value)
      continue;
    if (!field.name.ends_with("_registers")) {
      // (C1)
      if (*value < 1)
        return emitError() << "expected '" << field.name
                           << "' to be positive, but got " << *value;
      continue;
    }
    // (C2)
    if (*value < 0 || *value > 256 || *value % 8 != 0)
      return emitError() << "expected '" << field.name
                         << "' to be a multiple of 8 up to 256, but got "
                         << *value;
  }
  return success();
}

Schedule wgtile::getSchedule(Operation *kernel) {
  auto attr = kernel->getAttrOfType<ScheduleAttr>(kScheduleAttrName);
  return attr ? attr.getFields() : Schedule();
}

void wgtile::setSchedule(Operation *kernel, const Schedule &schedule) {
  kernel->setAttr(kScheduleAttrName,
                  ScheduleAttr::get(kernel->getContext(), schedule));
}
