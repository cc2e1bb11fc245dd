//===- Repeats.h - Products of a kind that was made before ------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_REPEATS_H
#define SATTN_PYTHON_BINDING_REPEATS_H

#include <tvm/ffi/tvm_ffi.h>

#include <mutex>
#include <unordered_map>
#include <vector>

namespace sattn::python {

/// Which program computes a product of sparse and dense operands, by a number
/// of the caller's, the operands' element types, devices and shapes, and
/// whether dense and out are transposed in memory: what the package finds out
/// once. Neither addresses nor contents count. Safe to use from several
/// threads.
class Repeats {
public:
  /// Operands of a product, in this order; all but values, dense and out may be
  /// absent.
  enum Operand { Crow, Col, Values, Dense, Input, Left, Right, Out };
  static constexpr int numOperands = Out + 1;
  static constexpr size_t capacity = 4096;

  /// The function that is called with (alpha, beta, operands...).
  struct Product {
    tvm::ffi::Function program;
    bool takesBeta = false, takesInput = false;
    /// Takes dense, or input and out, with their last two dimensions swapped.
    bool transposesDense = false, transposesOut = false;
    /// Operands that are not the call's: index arrays that were prepared.
    tvm::ffi::Any crow, col;
  };

  /// `operands` are numOperands tensors or None. An earlier entry is replaced.
  void insert(int64_t number, const tvm::ffi::AnyView *operands,
              Product product);

  /// Calls the program and returns true, or returns false where none is known.
  /// Throws what the program throws.
  bool call(int64_t number, double alpha, double beta,
            const tvm::ffi::AnyView *operands);

private:
  using Key = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  std::mutex mutex;
  std::unordered_map<Key, Product, Hash> products;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_REPEATS_H
