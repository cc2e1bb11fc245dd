//===- Fragment.h - Matrices spread over a warp's registers -----*- C++ -*-===//
//
// Which thread holds which element of a matrix in which register. Source: the
// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16" and "Matrix
// Fragments for mma.m16n8k16". Threads are numbered inside the warps that share
// the fragment: 0 to 32 * warps - 1; a warpgroup has four warps.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_FRAGMENT_H
#define SATTN_LAYOUT_FRAGMENT_H

#include <cassert>
#include <cstdint>

namespace sattn::layout {

inline constexpr int64_t kWarpThreads = 32;
/// Threads of a warpgroup, whose warps multiply together (wgmma).
inline constexpr int64_t kWarpgroupThreads = 128;
/// Rows of a fragment that one warp holds.
inline constexpr int64_t kWarpRows = 16;
/// Most columns of a row that are neighbors in a lane.
inline constexpr int64_t kMostRun = 8;

struct Coordinate {
  int64_t row;
  int64_t col;
};
constexpr bool operator==(const Coordinate &a, const Coordinate &b) {
  return a.row == b.row && a.col == b.col;
}

struct Owner {
  int64_t thread;
  int64_t reg;
};
constexpr bool operator==(const Owner &a, const Owner &b) {
  return a.thread == b.thread && a.reg == b.reg;
}

/// First row that a thread holds; registers add 0 or 8 to it.
constexpr int64_t rowOfThread(int64_t thread) {
  return kWarpRows * (thread / kWarpThreads) + thread % kWarpThreads / 4;
}

/// First column that a lane holds; registers add to it.
constexpr int64_t columnOfLane(int64_t lane) { return 2 * (lane % 4); }

/// A tile of rows() x columns f32 held by the accumulators of wgmma m64nNk16 or
/// of mma.sync m16n8k16, spread over warps.
///
/// The unit is one instruction's 16 x 8 fragment: lane l holds, in registers
/// 2r + c (r and c 0 or 1), the elements of row l/4 + 8r and column 2(l%4) + c.
/// `columnWarps` neighboring warps divide the columns round-robin, 8 at a time:
/// warp w has the eights w % columnWarps, + columnWarps, + 2 columnWarps, ...
/// Along the rows each has `rowTiles` fragments, one below the other. Register
/// 4 (j * rowTiles + m) + 2r + c of lane l in warp w is
///   row    16 (rowTiles * (w / columnWarps) + m) + l/4 + 8r,
///   column 8 (columnWarps * j + w % columnWarps) + 2(l%4) + c.
/// wgmma's accumulator, and the default, is one fragment a warp along the rows
/// and undivided columns: register 4j + 2r + c is row 16w + l/4 + 8r, column
/// 8j + 2(l%4) + c.
///
/// A tile that no MMA takes may have longer `run`s of columns in a lane, which
/// one access of memory moves: with h = run / 2 the same register is column
/// 4 run (columnWarps (j / h) + w % columnWarps) + run (l%4) + 2 (j % h) + c.
///
/// Four neighboring lanes (a quad) hold a row of a fragment between them;
/// eight lanes four apart hold a column of it. Columns [n, n + step()) for n a
/// multiple of step() are consecutive registers in every thread.
struct AccumulatorFragment {
  int64_t warps;
  int64_t columns;
  int64_t columnWarps = 1;
  int64_t rowTiles = 1;
  int64_t run = 2;

  constexpr bool isValid() const {
    return warps > 0 && columnWarps > 0 && warps % columnWarps == 0 &&
           rowTiles > 0 && run > 0 && run % 2 == 0 && columns > 0 &&
           columns % step() == 0;
  }
  /// Columns that each lane of a row has one run of.
  constexpr int64_t step() const { return 4 * run * columnWarps; }
  constexpr int64_t rowWarps() const { return warps / columnWarps; }
  constexpr int64_t rows() const { return kWarpRows * rowTiles * rowWarps(); }
  constexpr int64_t threads() const { return kWarpThreads * warps; }
  /// Number of n8 fragments that a warp holds.
  constexpr int64_t warpEights() const { return columns / (8 * columnWarps); }
  constexpr int64_t registersPerThread() const {
    return 4 * rowTiles * warpEights();
  }

  /// First row and column that a thread holds. An element's row is
  /// threadRow(thread) + registerRowOffset(reg), its column
  /// threadColumn(thread) + registerColumnOffset(reg): the offsets are
  /// constants where code is generated for each register.
  constexpr int64_t threadRow(int64_t thread) const {
    return kWarpRows * rowTiles * (thread / kWarpThreads / columnWarps) +
           thread % kWarpThreads / 4;
  }
  constexpr int64_t threadColumn(int64_t thread) const {
    return 4 * run * (thread / kWarpThreads % columnWarps) +
           run * (thread % kWarpThreads % 4);
  }
  /// Columns from a lane's first to that of its j-th pair.
  constexpr int64_t pairColumnOffset(int64_t j) const {
    return step() * (j / (run / 2)) + 2 * (j % (run / 2));
  }
  constexpr int64_t registerRowOffset(int64_t reg) const {
    return kWarpRows * (reg / 4 % rowTiles) + 8 * (reg / 2 % 2);
  }
  constexpr int64_t registerColumnOffset(int64_t reg) const {
    return pairColumnOffset(reg / 4 / rowTiles) + reg % 2;
  }
  /// First register of the fragment of the m-th sixteen rows and the j-th eight
  /// columns of a warp.
  constexpr int64_t fragmentRegister(int64_t m, int64_t j) const {
    return 4 * (j * rowTiles + m);
  }

  constexpr Coordinate coordinate(int64_t thread, int64_t reg) const {
    assert(thread >= 0 && thread < threads() && reg >= 0 &&
           reg < registersPerThread() && "no such register");
    return {threadRow(thread) + registerRowOffset(reg),
            threadColumn(thread) + registerColumnOffset(reg)};
  }
  constexpr Owner owner(int64_t row, int64_t col) const {
    assert(row >= 0 && row < rows() && col >= 0 && col < columns &&
           "element outside the fragment");
    int64_t lane = row % 8 * 4 + col % (4 * run) / run;
    int64_t warp = row / (kWarpRows * rowTiles) * columnWarps +
                   col / (4 * run) % columnWarps;
    int64_t pair = col / step() * (run / 2) + col % run / 2;
    return {warp * kWarpThreads + lane,
            fragmentRegister(row / kWarpRows % rowTiles, pair) +
                2 * (row % kWarpRows / 8) + col % 2};
  }

  /// Registers of a row vector, which has one value for each row, in 2 rowTiles
  /// registers of a thread: the value of register 2m + r is that of row
  /// threadRow(thread) + 16m + 8r; the four lanes of a quad and the warps that
  /// divide the columns hold the same. rowVectorRegister is the register that
  /// goes with accumulator register `reg`.
  constexpr int64_t rowVectorRegisters() const { return 2 * rowTiles; }
  constexpr int64_t rowVectorRegister(int64_t reg) const {
    return 2 * (reg / 4 % rowTiles) + reg / 2 % 2;
  }
  constexpr int64_t rowOfRowVector(int64_t thread, int64_t i) const {
    assert(thread >= 0 && thread < threads() && i >= 0 &&
           i < rowVectorRegisters() && "no such register");
    return threadRow(thread) + 8 * i;
  }

  /// Registers of a column vector, which has one value for each column, in 2
  /// warpEights() registers of a thread, the same in lanes four apart and in
  /// the warps that divide the rows: register 2j + c is column
  /// threadColumn(thread) + pairColumnOffset(j) + c.
  constexpr int64_t columnVectorRegisters() const { return 2 * warpEights(); }
  constexpr int64_t columnVectorRegister(int64_t reg) const {
    return 2 * (reg / 4 / rowTiles) + reg % 2;
  }
  constexpr int64_t columnOfColumnVector(int64_t thread, int64_t i) const {
    assert(thread >= 0 && thread < threads() && i >= 0 &&
           i < columnVectorRegisters() && "no such register");
    return threadColumn(thread) + pairColumnOffset(i / 2) + i % 2;
  }
};

/// Two accumulator registers, the first for the low half of a packed register.
struct RegisterPair {
  int64_t low;
  int64_t high;
};
constexpr bool operator==(const RegisterPair &a, const RegisterPair &b) {
  return a.low == b.low && a.high == b.high;
}

/// The A operand of wgmma m64nNk16 from registers (four warps) or of mma.sync
/// m16n8k16 (one warp), for `columns` / 16 k-steps: (16 * warps) x columns
/// 16-bit elements. A k-step takes four 32-bit registers of two elements each,
/// the low half first. Half h of register i of k-step kk, in lane l of warp w,
/// is row 16w + l/4 + 8(i%2), column 16kk + 2(l%4) + 8(i/2) + h.
struct AFragment {
  int64_t warps;
  int64_t columns;

  static constexpr int64_t kStepColumns = 16;
  static constexpr int64_t registersPerStep = 4;

  constexpr bool isValid() const {
    return warps > 0 && columns > 0 && columns % kStepColumns == 0;
  }
  constexpr int64_t rows() const { return kWarpRows * warps; }
  constexpr int64_t threads() const { return kWarpThreads * warps; }
  constexpr int64_t steps() const { return columns / kStepColumns; }
  constexpr int64_t registersPerThread() const {
    return registersPerStep * steps();
  }

  constexpr Coordinate coordinate(int64_t thread, int64_t kStep, int64_t reg,
                                  int64_t half) const {
    assert(thread >= 0 && thread < threads() && kStep >= 0 && kStep < steps() &&
           reg >= 0 && reg < registersPerStep && (half == 0 || half == 1) &&
           "no such register");
    return {rowOfThread(thread) + 8 * (reg % 2),
            columnOfLane(thread % kWarpThreads) + kStepColumns * kStep +
                8 * (reg / 2) + half};
  }

  /// The registers of AccumulatorFragment{warps, columns} which, rounded to 16
  /// bits and packed, are register `reg` of k-step `kStep`: what one product
  /// leaves in a thread is the next product's A operand, with no exchange
  /// between threads.
  static constexpr RegisterPair accumulatorRegisters(int64_t kStep,
                                                     int64_t reg) {
    assert(kStep >= 0 && reg >= 0 && reg < registersPerStep &&
           "no such register");
    return {8 * kStep + 2 * reg, 8 * kStep + 2 * reg + 1};
  }
};

} // namespace sattn::layout

#endif // SATTN_LAYOUT_FRAGMENT_H
