//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The host side as JSON. docs/Manifest.md describes the format.

#include "sattn/Target/Manifest.h"

#include "ExtentChecks.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Target/Chip.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace sattn;
namespace json = llvm::json;

static constexpr int64_t kVersion = 3;

/// Name of a scalar or element type, empty for a type that the runtime lacks.
static StringRef typeName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "f8E4M3FN";
  if (isa<Float8E5M2Type>(type))
    return "f8E5M2";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  if (type.isSignlessInteger(8))
    return "i8";
  if (type.isSignlessInteger(32))
    return "i32";
  if (type.isSignlessInteger(64))
    return "i64";
  return "";
}

static LogicalResult getStrides(Value memref, SmallVectorImpl<int64_t> &strides,
                                int64_t &offset) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return success(type && succeeded(type.getStridesAndOffset(strides, offset)));
}

/// Whether a contract describes the entries of lists in an array, or the array
/// has the lists' numbers of entries.
static bool isListArray(ArrayAttr contracts, int64_t argument) {
  bool found = false;
  forEachContractEntry(contracts, "checks", [&](DictionaryAttr check) {
    auto kind = check.getAs<StringAttr>("check");
    auto counts = check.getAs<IntegerAttr>("counts");
    found |= kind && kind == "listed" &&
             (isOfArgument(check, argument) ||
              (counts && counts.getInt() == argument));
  });
  return found;
}

namespace {
/// Writes the manifest of one function.
class ManifestWriter {
public:
  ManifestWriter(func::FuncOp function, StringRef target)
      : function(function), target(target) {}

  FailureOr<std::string> write() {
    if (!json::isUTF8(function.getName()))
      return function.emitOpError("expected a name in UTF-8, as JSON takes");
    contracts = function->getAttrOfType<ArrayAttr>(kContractsAttrName);
    bool launches = false;
    func::CallOp call;
    function.walk([&](Operation *op) {
      launches |= isa<wgtile::LaunchOp>(op);
      if (!call)
        call = dyn_cast<func::CallOp>(op);
    });
    // A program that the runtime interprets is one function.
    if (call && target != kCPUTarget)
      return call.emitOpError("expected no call on the host: the function is "
                              "not defined in the module, or calls itself");
    if (failed(writeArguments()))
      return failure();
    writeContracts();
    SmallVector<std::string> names;
    for (const json::Value &argument : arguments)
      names.push_back(argument.getAsObject()->getString("name")->str());
    writeExtentChecks(function, names, values, checks);
    if (launches && failed(writeBody()))
      return failure();
    json::Object manifest{{"version", kVersion},
                          {"name", function.getName()},
                          {"target", target},
                          {"arguments", std::move(arguments)},
                          {"contracts", std::move(contractList)},
                          {"values", std::move(values)},
                          {"checks", std::move(checks)},
                          {"steps", std::move(steps)}};
    if (!scratch.empty())
      manifest["scratch"] = std::move(scratch);
    if (!missing.empty())
      manifest["missing"] = std::move(missing);
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(manifest));
    return text;
  }

private:
  func::FuncOp function;
  StringRef target;
  ArrayAttr contracts;
  /// Kernels by name.
  SymbolTableCollection symbols;
  json::Array arguments, contractList, values, checks, scratch, missing, steps;
  /// An allocation: its position in `scratch`, and those of its sizes and
  /// strides in `values`.
  struct Scratch {
    int64_t index;
    SmallVector<int64_t> sizes, strides;
  };
  DenseMap<Value, Scratch> allocations;
  /// A result of a branch: scratch memory under a condition, an argument of the
  /// function otherwise.
  struct Replaced {
    int64_t condition, argument;
    Value scratch;
  };
  DenseMap<Value, Replaced> replaced;
  /// Scratch that launches without `preprocess` use, and that those with it use
  /// which are no hints.
  DenseSet<Value> usedScratch, plannedScratch;
  /// Position in `values` of a host value.
  DenseMap<Value, int64_t> valueIndex;
  /// Position in `values` of the condition of the branches around the op that
  /// is written.
  std::optional<int64_t> condition;
  /// The source of each cast on the host.
  DenseMap<Value, Value> castSource;

  /// The first contract operand that an argument is, or null.
  DictionaryAttr findOperand(int64_t argument) {
    DictionaryAttr found;
    forEachContractEntry(contracts, "operands", [&](DictionaryAttr operand) {
      if (!found && isOfArgument(operand, argument))
        found = operand;
    });
    return found;
  }

  /// The names that the function gives to its first arguments.
  FailureOr<ArrayAttr> readNames() {
    Attribute attr = function->getAttr(kNamesAttrName);
    if (!attr)
      return ArrayAttr::get(function.getContext(), {});
    auto names = dyn_cast<ArrayAttr>(attr);
    if (names && names.size() <= function.getNumArguments() &&
        llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return names;
    return function.emitOpError()
           << "expected '" << kNamesAttrName << "' to be an array of at most "
           << function.getNumArguments() << " strings, but got " << attr;
  }

  LogicalResult writeArguments() {
    FailureOr<ArrayAttr> names = readNames();
    if (failed(names))
      return failure();
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
      DictionaryAttr operand = findOperand(index);
      std::string name = "arg" + std::to_string(index);
      if (operand)
        if (auto attr = operand.getAs<StringAttr>("name"))
          name = attr.str();
      if (index < names->size() &&
          !cast<StringAttr>((*names)[index]).getValue().empty())
        name = cast<StringAttr>((*names)[index]).str();
      auto shaped = dyn_cast<ShapedType>(type);
      StringRef element = typeName(shaped ? shaped.getElementType() : type);
      if (element.empty() ||
          (shaped ? !shaped.hasRank() : !type.isF32() && !type.isF64()))
        return function.emitOpError()
               << "expected tensors and scalars that the runtime can pass, but "
                  "argument "
               << index << " is " << type;
      if (!shaped) {
        arguments.push_back(json::Object{
            {"kind", "scalar"}, {"type", element}, {"name", name}});
        continue;
      }
      // Without a contract the uses of an argument are unknown.
      bool written = !operand || operand.contains("written");
      arguments.push_back(
          json::Object{{"kind", "tensor"},
                       {"element", element},
                       {"rank", shaped.getRank()},
                       {"name", name},
                       {"access", written ? "read_write" : "read"}});
      for (auto [dim, size] : llvm::enumerate(shaped.getShape()))
        if (!ShapedType::isDynamic(size))
          checkNumber("dim", index, dim, size,
                      llvm::formatv("argument '{0}': expected dimension {1} "
                                    "to be {2}",
                                    name, dim, size));
    }
    return success();
  }

  int64_t addExpression(json::Object expression) {
    values.push_back(std::move(expression));
    return values.size() - 1;
  }

  int64_t addSelect(int64_t condition, int64_t yes, int64_t no) {
    return addExpression(json::Object{
        {"op", "select"}, {"operands", json::Array{condition, yes, no}}});
  }

  /// The extent ("dim") or stride of an argument's dimension.
  static json::Object readShape(StringRef kind, int64_t argument,
                                int64_t dimension) {
    return json::Object{
        {"op", kind}, {"argument", argument}, {"index", dimension}};
  }

  /// Checks the extent ("dim") or stride of an argument's dimension. A stride
  /// of fewer than two elements may be any.
  void checkNumber(StringRef kind, int64_t argument, int64_t dim,
                   int64_t expected, std::string message) {
    auto read = [&](StringRef kind) {
      return addExpression(readShape(kind, argument, dim));
    };
    int64_t actual = read(kind);
    message += ", but got {" + std::to_string(actual) + "}";
    int64_t holds = addBinary("eq", actual, addConstant(expected));
    if (kind == "stride")
      holds =
          addBinary("or", holds, addBinary("lt", read("dim"), addConstant(2)));
    if (condition)
      holds = addSelect(*condition, holds, addConstant(1));
    checks.push_back(
        json::Object{{"value", holds}, {"message", std::move(message)}});
  }

  /// Writes a cast on the host, which asserts the strides of its type. Those of
  /// scratch are known, and lose only what is known.
  LogicalResult writeCast(memref::CastOp cast) {
    Value source = stripCasts(cast.getSource());
    std::optional<int64_t> argument = argumentIndex(source);
    std::optional<int64_t> outer = condition;
    if (auto it = replaced.find(source); it != replaced.end()) {
      argument = it->second.argument;
      int64_t isArgument =
          addBinary("eq", it->second.condition, addConstant(0));
      condition = outer ? addBinary("and", *outer, isArgument) : isArgument;
    }
    auto restore = llvm::make_scope_exit([&] { condition = outer; });
    SmallVector<int64_t> from, to;
    int64_t offset;
    bool isScratch = allocations.contains(source);
    if ((!argument && !isScratch) ||
        failed(getStrides(cast.getSource(), from, offset)) ||
        failed(getStrides(cast, to, offset)))
      return cast.emitOpError("expected a cast of an argument's strides");
    castSource[cast] = source;
    if (isScratch)
      return success();
    const json::Object *description = arguments[*argument].getAsObject();
    for (auto [dim, before, after] : llvm::enumerate(from, to))
      if (ShapedType::isDynamic(before) && !ShapedType::isDynamic(after))
        checkNumber("stride", *argument, dim, after,
                    llvm::formatv("argument '{0}': expected a stride of {1} "
                                  "along dimension {2}",
                                  *description->getString("name"), after, dim));
    return success();
  }

  static json::Value writeAttr(Attribute attr) {
    return llvm::TypeSwitch<Attribute, json::Value>(attr)
        .Case([](StringAttr text) { return text.getValue(); })
        .Case([](FloatAttr number) { return number.getValueAsDouble(); })
        .Case([](IntegerAttr number) { return number.getInt(); })
        .Case([](UnitAttr) { return true; })
        .Case([](ArrayAttr items) {
          json::Array array;
          for (Attribute item : items)
            array.push_back(writeAttr(item));
          return array;
        })
        .Case([](DictionaryAttr entries) {
          json::Object object;
          for (NamedAttribute entry : entries)
            object[entry.getName().getValue()] = writeAttr(entry.getValue());
          return object;
        })
        .Default(json::Value(nullptr));
  }

  /// Writes the contracts as they are recorded.
  void writeContracts() {
    if (contracts)
      for (Attribute contract : contracts)
        contractList.push_back(writeAttr(contract));
  }

  Value stripCasts(Value value) {
    Value source = castSource.lookup(value);
    return source ? source : value;
  }

  std::optional<int64_t> argumentIndex(Value value) {
    auto argument = dyn_cast<BlockArgument>(stripCasts(value));
    if (argument && argument.getOwner() == &function.getBody().front())
      return argument.getArgNumber();
    return std::nullopt;
  }

  LogicalResult writeBody() {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("expected a host function of one block");
    return writeBlock(function.getBody().front());
  }

  LogicalResult writeBlock(Block &block) {
    for (Operation &op : block)
      if (failed(writeOp(&op)))
        return failure();
    return success();
  }

  int64_t addConstant(int64_t value) {
    return addExpression(json::Object{{"op", "constant"}, {"value", value}});
  }
  int64_t addBinary(StringRef op, int64_t lhs, int64_t rhs) {
    return addExpression(
        json::Object{{"op", op}, {"operands", json::Array{lhs, rhs}}});
  }

  /// Writes a branch: values are computed whatever the condition; launches and
  /// checks are under it.
  LogicalResult writeBranch(scf::IfOp branch) {
    auto it = valueIndex.find(branch.getCondition());
    if (it == valueIndex.end())
      return branch.emitOpError("expected a branch on an integer of the host");
    std::optional<int64_t> outer = condition;
    auto writeUnder = [&](Block &block, int64_t holds) {
      condition = outer ? addBinary("and", *outer, holds) : holds;
      LogicalResult result = writeBlock(block);
      condition = outer;
      return result;
    };
    int64_t holds = it->second;
    if (failed(writeUnder(*branch.thenBlock(), holds)))
      return failure();
    if (branch.getElseRegion().empty())
      return success();
    if (failed(writeUnder(*branch.elseBlock(),
                          addBinary("eq", holds, addConstant(0)))))
      return failure();
    for (auto [result, scratch, argument] :
         llvm::zip_equal(branch.getResults(), branch.thenYield().getResults(),
                         branch.elseYield().getResults())) {
      std::optional<int64_t> index = argumentIndex(argument);
      Value memory = stripCasts(scratch);
      if (!index || !allocations.contains(memory))
        return branch.emitOpError("expected a branch whose results are scratch "
                                  "memory or else an argument of the function");
      replaced[result] = {holds, *index, memory};
    }
    return success();
  }

  void addValue(Value value, json::Object expression) {
    valueIndex[value] = values.size();
    values.push_back(std::move(expression));
  }

  /// Name of an op of integers in the manifest, empty for any other op.
  static StringRef integerOpName(Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      switch (compare.getPredicate()) {
      case arith::CmpIPredicate::eq:
        return "eq";
      case arith::CmpIPredicate::ne:
        return "ne";
      case arith::CmpIPredicate::slt:
        return "lt";
      case arith::CmpIPredicate::sle:
        return "le";
      case arith::CmpIPredicate::sgt:
        return "gt";
      case arith::CmpIPredicate::sge:
        return "ge";
      default:
        return "";
      }
    }
    return llvm::TypeSwitch<Operation *, StringRef>(op)
        .Case([](arith::AddIOp) { return "add"; })
        .Case([](arith::SubIOp) { return "sub"; })
        .Case([](arith::MulIOp) { return "mul"; })
        .Case([](arith::DivSIOp) { return "floordiv"; })
        .Case([](arith::CeilDivSIOp) { return "ceildiv"; })
        .Case([](arith::FloorDivSIOp) { return "floordiv"; })
        .Case([](arith::MinSIOp) { return "min"; })
        .Case([](arith::MaxSIOp) { return "max"; })
        .Case([](arith::AndIOp) { return "and"; })
        .Case([](arith::OrIOp) { return "or"; })
        .Case([](arith::SelectOp) { return "select"; })
        .Default(StringRef());
  }

  LogicalResult writeOp(Operation *op) {
    if (isa<func::ReturnOp, scf::YieldOp, wgtile::TensorMapOp>(op))
      return success();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return writeBranch(branch);
    if (auto launch = dyn_cast<wgtile::LaunchOp>(op))
      return writeLaunch(launch);
    if (auto refusal = dyn_cast<cf::AssertOp>(op))
      return writeMissing(refusal);
    if (auto cast = dyn_cast<memref::CastOp>(op))
      return writeCast(cast);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto integer = dyn_cast<IntegerAttr>(constant.getValue());
      if (integer)
        addValue(constant,
                 json::Object{
                     {"op", "constant"},
                     {"value", integer.getType().isInteger(1)
                                   ? int64_t(integer.getValue().getZExtValue())
                                   : integer.getValue().getSExtValue()}});
      return success();
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return writeScratch(alloc);
    if (auto dim = dyn_cast<memref::DimOp>(op))
      return writeDim(dim);
    if (auto compatible = dyn_cast<wgtile::TmaCompatibleOp>(op)) {
      std::optional<int64_t> argument = argumentIndex(compatible.getSource());
      if (!argument)
        return op->emitOpError("expected an argument of the function");
      addValue(compatible,
               json::Object{{"op", "tma_compatible"}, {"argument", *argument}});
      return success();
    }
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      return writeMetadata(metadata);
    if (auto count = dyn_cast<wgtile::SmCountOp>(op)) {
      addValue(count, json::Object{{"op", "sm_count"}});
      return success();
    }
    StringRef name = integerOpName(op);
    json::Array operands;
    for (Value operand : op->getOperands()) {
      auto it = valueIndex.find(operand);
      if (it == valueIndex.end())
        name = "";
      else
        operands.push_back(it->second);
    }
    if (name.empty())
      return op->emitOpError(
          "expected an op of the host's restricted set (sizes, integer "
          "arithmetic, wgtile.tensor_map, wgtile.launch)");
    if (isa<arith::DivSIOp>(op)) {
      writeTruncatedDivision(op);
      return success();
    }
    addValue(op->getResult(0),
             json::Object{{"op", name}, {"operands", std::move(operands)}});
    return success();
  }

  /// Writes a division that rounds towards zero: towards positive infinity
  /// where the signs differ, else towards negative infinity.
  void writeTruncatedDivision(Operation *op) {
    int64_t lhs = valueIndex.at(op->getOperand(0));
    int64_t rhs = valueIndex.at(op->getOperand(1));
    int64_t zero = addConstant(0);
    int64_t differ =
        addBinary("ne", addBinary("lt", lhs, zero), addBinary("lt", rhs, zero));
    int64_t up = addBinary("ceildiv", lhs, rhs);
    int64_t down = addBinary("floordiv", lhs, rhs);
    addValue(op->getResult(0),
             json::Object{{"op", "select"},
                          {"operands", json::Array{differ, up, down}}});
  }

  LogicalResult writeDim(memref::DimOp dim) {
    Value source = stripCasts(dim.getSource());
    std::optional<int64_t> argument = argumentIndex(source);
    std::optional<int64_t> index = dim.getConstantIndex();
    auto it = replaced.find(source);
    if (!index || (!argument && it == replaced.end()))
      return dim.emitOpError("expected a constant dimension of an argument");
    if (argument) {
      addValue(dim, readShape("dim", *argument, *index));
      return success();
    }
    const Replaced &memory = it->second;
    int64_t size = addExpression(readShape("dim", memory.argument, *index));
    valueIndex[dim] = addSelect(
        memory.condition, allocations[memory.scratch].sizes[*index], size);
    return success();
  }

  LogicalResult writeMetadata(memref::ExtractStridedMetadataOp metadata) {
    std::optional<int64_t> argument = argumentIndex(metadata.getSource());
    if (!argument)
      return metadata.emitOpError("expected an argument of the function");
    for (auto [kind, results] : {std::pair("dim", metadata.getSizes()),
                                 std::pair("stride", metadata.getStrides())})
      for (auto [index, result] : llvm::enumerate(results))
        if (!result.use_empty())
          addValue(result, readShape(kind, *argument, index));
    return success();
  }

  LogicalResult writeScratch(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    StringRef element = typeName(type.getElementType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (element.empty() || failed(getStrides(alloc, strides, offset)) ||
        offset != 0)
      return alloc.emitOpError("expected scratch memory that the runtime can "
                               "allocate, of numbers, but got ")
             << type;
    Scratch memory{static_cast<int64_t>(scratch.size()), {}, {}};
    json::Array sizes;
    auto dynamicSizes = alloc.getDynamicSizes().begin();
    for (int64_t size : type.getShape()) {
      FailureOr<int64_t> value = ShapedType::isDynamic(size)
                                     ? findSize(alloc, *dynamicSizes++)
                                     : addConstant(size);
      if (failed(value))
        return failure();
      memory.sizes.push_back(*value);
      // A branch that is not taken allocates no memory.
      sizes.push_back(condition ? addSelect(*condition, *value, addConstant(0))
                                : *value);
    }
    json::Object description{{"element", element}, {"sizes", std::move(sizes)}};
    if (!type.getLayout().isIdentity()) {
      auto dynamicStrides = alloc.getSymbolOperands().begin();
      for (int64_t stride : strides) {
        FailureOr<int64_t> value = ShapedType::isDynamic(stride)
                                       ? findSize(alloc, *dynamicStrides++)
                                       : addConstant(stride);
        if (failed(value))
          return failure();
        memory.strides.push_back(*value);
      }
      description["strides"] = json::Array(memory.strides);
    }
    if (alloc->hasAttr(wgtile::kZeroedAttrName))
      description["zero"] = true;
    if (alloc->hasAttr(wgtile::kLeftZeroAttrName))
      description["left_zero"] = true;
    scratch.push_back(std::move(description));
    allocations[alloc] = std::move(memory);
    return success();
  }

  FailureOr<int64_t> findSize(memref::AllocOp alloc, Value size) {
    auto it = valueIndex.find(size);
    if (it == valueIndex.end())
      return alloc.emitOpError("expected sizes computed on the host");
    return it->second;
  }

  /// Whether a launch may be done ahead of the others: see docs/Manifest.md.
  bool isPrepare(wgtile::LaunchOp launch) {
    return launch.getPreprocess() && !condition &&
           llvm::all_of(launch.getArgs(), [&](Value value) {
             if (allocations.contains(stripCasts(value)))
               return !usedScratch.contains(stripCasts(value));
             std::optional<int64_t> argument = argumentIndex(value);
             if (!argument)
               return valueIndex.contains(value);
             return isIndexArray(contracts, *argument) ||
                    isListArray(contracts, *argument);
           });
  }

  static void writeTuning(Operation *op, json::Object &entry) {
    if (auto tuning =
            op->getAttrOfType<DictionaryAttr>(wgtile::kTuningAttrName))
      entry["tuning"] = json::Object{
          {"parameters", tuning.getAs<StringAttr>("parameters").getValue()},
          {"origin", tuning.getAs<StringAttr>("origin").getValue()}};
  }

  /// Writes a refusal in the place of a launch: the program does not hold the
  /// kernel (sattn-select-versions, wgtile-outline-copies).
  LogicalResult writeMissing(cf::AssertOp refusal) {
    auto holds = valueIndex.find(refusal.getArg());
    if (!condition || holds == valueIndex.end())
      return refusal.emitOpError(
          "expected a place in a branch, and an integer of the host");
    int64_t fails = addBinary("ne", holds->second, addConstant(1));
    json::Object entry{{"kernel", refusal.getMsg()},
                       {"when", addBinary("and", *condition, fails)},
                       {"before", static_cast<int64_t>(steps.size())}};
    if (auto version =
            refusal->getAttrOfType<StringAttr>(wgtile::kVersionAttrName))
      entry["version"] = version.getValue();
    writeTuning(refusal, entry);
    missing.push_back(std::move(entry));
    return success();
  }

  LogicalResult writeLaunch(wgtile::LaunchOp launch) {
    auto kernel = symbols.lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
        launch, launch.getKernelAttr());
    auto threads = kernel ? kernel->getAttrOfType<DenseI32ArrayAttr>(
                                NVVM::NVVMDialect::getReqntidAttrName())
                          : nullptr;
    if (!threads)
      return launch.emitOpError("expected a lowered kernel with a number of "
                                "threads (convert-kernel-to-llvm)");
    auto shared =
        kernel->getAttrOfType<IntegerAttr>(wgtile::kSharedBytesAttrName);
    int64_t one = addConstant(1);
    json::Array parameters;
    for (Value value : launch.getArgs()) {
      FailureOr<json::Object> parameter = describeParameter(launch, value);
      if (failed(parameter))
        return failure();
      parameters.push_back(std::move(*parameter));
    }
    json::Object step{
        {"launch", launch.getKernel().getLeafReference().getValue()},
        {"when", condition ? json::Value(*condition) : json::Value(nullptr)},
        {"grid", json::Array{valueIndex.at(launch.getGrid()), one, one}},
        {"block", threads[0]},
        {"shared", shared ? shared.getInt() : 0},
        {"arguments", std::move(parameters)}};
    for (auto [name, key] : {std::pair(wgtile::kVersionAttrName, "version"),
                             std::pair(wgtile::kReasonAttrName, "reason")})
      if (auto text = launch->getAttrOfType<StringAttr>(name))
        step[key] = text.getValue();
    writeTuning(launch, step);
    if (launch.getProgrammatic())
      step["programmatic"] = true;
    if (launch.getReadsIndicesEarly())
      step["reads_indices_early"] = true;
    bool isHint = false;
    if (isPrepare(launch)) {
      step["preprocess"] = true;
      isHint =
          launch.getHint() && llvm::none_of(launch.getArgs(), [&](Value value) {
            return plannedScratch.contains(stripCasts(value));
          });
      if (isHint)
        step["hint"] = true;
      else
        for (Value value : launch.getArgs())
          plannedScratch.insert(stripCasts(value));
    } else {
      for (Value value : launch.getArgs()) {
        auto map = value.getDefiningOp<wgtile::TensorMapOp>();
        usedScratch.insert(stripCasts(map ? map.getSource() : value));
      }
    }
    steps.push_back(std::move(step));
    return success();
  }

  /// The argument of the function that `value` is, and what replaces it: the
  /// entries of a parameter that is such memory. Null if it is none.
  std::optional<json::Object> describeArgument(StringRef key, Value value) {
    value = stripCasts(value);
    if (std::optional<int64_t> argument = argumentIndex(value))
      return json::Object{{key, *argument}};
    auto it = replaced.find(value);
    if (it == replaced.end())
      return std::nullopt;
    const Replaced &memory = it->second;
    return json::Object{
        {key, memory.argument},
        {"replaced",
         json::Object{{"when", memory.condition},
                      {"scratch", allocations[memory.scratch].index}}}};
  }

  FailureOr<json::Object> describeParameter(wgtile::LaunchOp launch,
                                            Value value) {
    if (auto map = value.getDefiningOp<wgtile::TensorMapOp>()) {
      std::optional<json::Object> entries =
          describeArgument("argument", map.getSource());
      if (auto it = allocations.find(stripCasts(map.getSource()));
          it != allocations.end())
        entries = json::Object{{"scratch", it->second.index}};
      if (!entries)
        return map.emitOpError(
            "expected an argument of the function or scratch memory");
      wgtile::TensorMapType type = map.getMap().getType();
      (*entries)["box"] = json::Array(type.getBox());
      (*entries)["swizzle"] = type.getSwizzle();
      if (type.getPacked())
        (*entries)["packed"] = true;
      return json::Object{{"tensor_map", std::move(*entries)}};
    }
    if (auto it = allocations.find(stripCasts(value)); it != allocations.end())
      return json::Object{{"scratch", it->second.index}};
    if (std::optional<json::Object> entries = describeArgument(
            isa<MemRefType>(value.getType()) ? "memref" : "scalar", value))
      return std::move(*entries);
    auto it = valueIndex.find(value);
    if (it == valueIndex.end())
      return launch.emitOpError("expected arguments that are arguments of the "
                                "function or integers computed from them");
    return json::Object{{"value", it->second}, {"type", "i64"}};
  }
};
} // namespace

FailureOr<std::string> sattn::emitManifest(func::FuncOp function,
                                           StringRef target) {
  return ManifestWriter(function, target).write();
}
