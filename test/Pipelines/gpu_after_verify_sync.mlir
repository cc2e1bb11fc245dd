// After wgtile-verify-sync no pass changes barriers: first one that numbers the
// stages of rings, then the conversion to instructions, whose effects keep what
// follows from removing them.

// RUN: sparse-opt %s --sattn-to-nvvm --dump-pass-pipeline -o /dev/null 2>&1 | tr -d ' \n' | FileCheck %s
// CHECK: wgtile-verify-sync{{,?}}wgtile-assign-stages{{,?}}convert-wgtile-to-nvvm{{,?}}expand-strided-metadata{{,?}}math-extend-to-supported-types{{(\{[^}]*\})?}},sattn-approximate-math{{(\{[^}]*\})?}},lower-affine{{,?}}cse{{,?}}convert-scf-to-cf{{(\{[^}]*\})?}},convert-kernel-to-llvm{{,?}}convert-nvvm-to-llvm{{,?}}reconcile-unrealized-casts)

module {}
