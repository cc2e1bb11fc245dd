//===- Contract.h - What must hold of a program's arguments -----*- C++ -*-===//
//
// Checks made before anything is launched or written. Every message has the
// form "argument 'NAME': expected ..., but got ...".
//
// Shapes of bsr_addmm, with blocks of BM x BK: crow (*, M/BM + 1), col (*,
// nnz), values (*, nnz, BM, BK), b (*, K, N), input and out (*, M, N), left
// (*, M), right (*, N), where * are batch dimensions that broadcast to out's.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_CONTRACT_H
#define SATTN_RUNTIME_CONTRACT_H

#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// Whether the contents of index arrays are read, which needs host memory.
enum class ContentCheck { Off, On };

/// The arguments' number, kinds, element types and ranks are those that the
/// manifest declares; extents are not negative; extents and strides address
/// memory that can exist, aligned to the element's width.
Error checkArguments(const Manifest &manifest,
                     const std::vector<Argument> &arguments);

/// What can be said without memory: of `checkArguments` all but the last part,
/// of `checkContracts` the shapes. Data pointers are not looked at.
Error checkShapes(const Manifest &manifest,
                  const std::vector<Argument> &arguments);

/// `checkArguments`, then each contract:
///  - shapes: every dimension that two arguments share, M and K multiples of
///    the block, batch dimensions equal to out's or 1;
///  - memory: out does not overlap itself, nor any other argument of the
///    contract, except input exactly (same elements in the same places).
///    Ranges of bytes are compared, so interleaved arrays count as overlapping;
///  - contents, where asked for: see checkBsrContents.
/// Of storage contracts the shapes of what is an argument, that what may be
/// written does not overlap the index arrays, and the contents.
Error checkContracts(const Manifest &manifest,
                     const std::vector<Argument> &arguments,
                     ContentCheck contents);

/// The index arrays of one contract whose shapes have been checked, in host
/// memory: offsets in crow lie within [0, nnz] and do not decrease; batches
/// have equally many stored blocks, unless col and values are shared by all
/// of them; block columns that a row refers to lie within [0, K/BK). Offsets
/// are compared in 64 bits whatever the index type.
Error checkBsrContents(const Manifest &manifest,
                       const BsrAddmmContract &contract,
                       const std::vector<Argument> &arguments);

/// The same of a matrix in a product with operands that the program computes.
/// Where K is computed too, block columns are only checked not to be negative.
Error checkBsrContents(const Manifest &manifest,
                       const BsrStorageContract &contract,
                       const std::vector<Argument> &arguments);

/// All that must hold before a call: `checkContracts`, then the manifest's
/// checks. `multiprocessors`: of the device.
Error checkCall(const Manifest &manifest,
                const std::vector<Argument> &arguments, ContentCheck contents,
                int64_t multiprocessors = 1);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_CONTRACT_H
