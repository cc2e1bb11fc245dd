/* A CTA on the CPU: what a kernel's code asks of the GPU (see
   emulation.py). Each of its threads is one here; a shuffle is a meeting of the
   32 threads of a warp. */

#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum {
  kWarpThreads = 32,
  kMostWarps = 32,
  kSharedBytes = 1 << 18,
  kMostArguments = 72
};

char emulated_shared[kSharedBytes] __attribute__((aligned(1024)));

static pthread_barrier_t block_barrier, warp_barriers[kMostWarps];
static union {
  float f;
  int i;
} passed[kMostWarps][kWarpThreads];
static int block_id, block_count;
static _Thread_local int thread_id;

/* LLVM's code for x86 passes elements of bfloat16 on as f32, and calls this,
   which older libgcc lack. To the nearest, ties to even; NaN stays NaN. */
__bf16 __truncsfbf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t upper = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  if (value != value)
    upper = bits >> 16 | 0x40;
  __bf16 result;
  memcpy(&result, &upper, sizeof result);
  return result;
}

int emulated_thread_id(void) { return thread_id; }

int emulated_block_id(void) { return block_id; }

int emulated_block_count(void) { return block_count; }

void emulated_barrier(int number) {
  (void)number;
  pthread_barrier_wait(&block_barrier);
}

/* cp.async: `size` bytes, and zeros after them. */
void emulated_copy_16(char *target, const char *source, int size) {
  for (int i = 0; i < 16; ++i)
    target[i] = i < size ? source[i] : 0;
}

/* Waits for the other lanes of a warp. */
static void meet(void) {
  pthread_barrier_wait(&warp_barriers[thread_id / kWarpThreads]);
}

void emulated_warp_barrier(int mask) {
  (void)mask;
  meet();
}

/* Of all lanes of a warp, in one segment. */
#define SHUFFLE(NAME, TYPE, MEMBER, SOURCE)                                    \
  TYPE NAME(int mask, TYPE value, int operand, int clamp) {                    \
    (void)mask;                                                                \
    (void)clamp;                                                               \
    int warp = thread_id / kWarpThreads, lane = thread_id % kWarpThreads;      \
    passed[warp][lane].MEMBER = value;                                         \
    meet();                                                                    \
    TYPE result = passed[warp][SOURCE].MEMBER;                                 \
    meet();                                                                    \
    return result;                                                             \
  }

SHUFFLE(emulated_shuffle_idx_f32, float, f, operand)
SHUFFLE(emulated_shuffle_bfly_f32, float, f, lane ^ operand)
SHUFFLE(emulated_shuffle_idx_i32, int, i, operand)
SHUFFLE(emulated_shuffle_bfly_i32, int, i, lane ^ operand)

/* A bit of each lane of a warp. */
int emulated_ballot(int mask, _Bool bit) {
  (void)mask;
  int warp = thread_id / kWarpThreads, lane = thread_id % kWarpThreads;
  passed[warp][lane].i = bit;
  meet();
  uint32_t result = 0;
  for (int i = 0; i < kWarpThreads; ++i)
    result |= (uint32_t)passed[warp][i].i << i;
  meet();
  return (int)result;
}

/* The greatest of what the lanes of a warp have, without a sign. */
int emulated_most(int value, int mask) {
  (void)mask;
  int warp = thread_id / kWarpThreads, lane = thread_id % kWarpThreads;
  passed[warp][lane].i = value;
  meet();
  uint32_t result = 0;
  for (int i = 0; i < kWarpThreads; ++i)
    if ((uint32_t)passed[warp][i].i > result)
      result = (uint32_t)passed[warp][i].i;
  meet();
  return (int)result;
}

/* Four of the bytes of two words, by the digits of a number. */
int emulated_permute(int low, int high, int bytes) {
  uint64_t both = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (uint32_t)(both >> 8 * (bytes >> 4 * i & 7) & 0xff) << 8 * i;
  return (int)result;
}

/* The kernel takes pointers and integers, perhaps fewer: in C's calling
   conventions of 64-bit machines the rest does no harm. */
typedef int64_t Word;
#define EIGHT(X) X, X, X, X, X, X, X, X
void kernel(EIGHT(EIGHT(Word)), EIGHT(Word));

static Word a[kMostArguments];

static void *run_thread(void *id) {
  thread_id = (int)(intptr_t)id;
#define FROM(I)                                                                \
  a[I], a[I + 1], a[I + 2], a[I + 3], a[I + 4], a[I + 5], a[I + 6], a[I + 7]
  kernel(FROM(0), FROM(8), FROM(16), FROM(24), FROM(32), FROM(40), FROM(48),
         FROM(56), FROM(64));
  return 0;
}

/* Runs one block, of so many, of so many threads; returns whether all threads
   could be made. */
int run_block(int block, int blocks, int threads, const Word *arguments,
              int count) {
  pthread_t ids[kMostWarps * kWarpThreads];
  int warps = threads / kWarpThreads, made = 0;
  block_id = block;
  block_count = blocks;
  for (int i = 0; i < count; ++i)
    a[i] = arguments[i];
  pthread_barrier_init(&block_barrier, 0, (unsigned)threads);
  for (int warp = 0; warp < warps; ++warp)
    pthread_barrier_init(&warp_barriers[warp], 0, kWarpThreads);
  while (made < threads &&
         !pthread_create(&ids[made], 0, run_thread, (void *)(intptr_t)made))
    ++made;
  /* Threads that wait for others that were not made would never end. */
  if (made != threads)
    return 0;
  for (int i = 0; i < threads; ++i)
    pthread_join(ids[i], 0);
  for (int warp = 0; warp < warps; ++warp)
    pthread_barrier_destroy(&warp_barriers[warp]);
  pthread_barrier_destroy(&block_barrier);
  return 1;
}
