//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Prints the space of a problem, for tests of what the passes take of it.
//
//   sattn-test-spaces OP TARGET [NAME=NUMBER | NAME=TEXT]...
//
// A line for each possible candidate, the default first, with the parameters of
// the space: "tile_m=64 tile_n=128 tile_k=64 stages=0".

#include "sattn/Tuning/Space.h"

#include "llvm/Support/raw_ostream.h"

using namespace sattn::tuning;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fail("expected OP TARGET [NAME=VALUE]...");
  std::optional<Target> target = findTarget(argv[2]);
  if (!target)
    return fail("expected a target, but got '" + llvm::Twine(argv[2]) + "'");
  llvm::SmallVector<NamedFact> facts;
  for (int i = 3; i < argc; ++i) {
    auto [name, text] = llvm::StringRef(argv[i]).split('=');
    NamedFact fact = {name};
    if (text.getAsDouble(fact.number))
      fact.text = text;
    facts.push_back(fact);
  }
  llvm::Expected<Space> space = getSpace(argv[1], facts, *target);
  if (!space)
    return fail(llvm::toString(space.takeError()));
  if (std::string problem = space->problem(space->defaults); !problem.empty())
    return fail("the default: " + problem);
  for (const Parameters &candidate : listCandidates(*space)) {
    llvm::StringRef separator;
    for (const TunedParameter &parameter : space->parameters) {
      llvm::outs() << separator << parameter.name << '='
                   << getParameter(candidate, parameter.name);
      separator = " ";
    }
    llvm::outs() << "\n";
  }
  return 0;
}
