//===- Op.cpp - Ops of sattn by name --------------------------------------===//
//
// The list of ops, which CMake writes.
//
//===----------------------------------------------------------------------===//

#include "sattn/Reference/Op.h"

using namespace sattn;

namespace sattn::reference {
#define SATTN_REFERENCE_OP(NAME) extern const Op k##NAME##Op;
#include "ReferenceOps.inc"
} // namespace sattn::reference

static constexpr const reference::Op *kOps[] = {
#define SATTN_REFERENCE_OP(NAME) &reference::k##NAME##Op,
#include "ReferenceOps.inc"
};

const reference::Op *reference::findOp(std::string_view name) {
  for (const Op *op : kOps)
    if (name == op->name)
      return op;
  return nullptr;
}

const reference::NamedOperand *
reference::NamedOperands::find(std::string_view name) const {
  for (const NamedOperand &operand : *this)
    if (operand.name == name)
      return &operand;
  return nullptr;
}

void reference::NamedOperands::addAttributes(
    const std::vector<std::string> &names) {
  for (const std::string &attribute : names)
    push_back({attribute, attribute, 1.0});
}

const runtime::TensorView *
reference::NamedOperands::findTensor(std::string_view name) const {
  const NamedOperand *operand = find(name);
  return operand ? std::get_if<runtime::TensorView>(&operand->value) : nullptr;
}
