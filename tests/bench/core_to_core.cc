// SPDX-License-Identifier: BSD-3-Clause
// How long a cache line takes from one core to another: two threads, each pinned to a core, hand a
// word to and fro. Prints the nanoseconds of one way, the median of several rounds. On a virtual
// machine that is moved about it changes by a factor of five within seconds, and with it every rate
// between two lcores: bench-reliability says it beside its figures.
//
//   core_to_core [CORE CORE]       0 and 1 if not given
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr uint64_t kTurns = 10'000;
constexpr size_t kRounds = 5;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "core_to_core: %s\n", what);
  std::exit(2);
}

void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (pthread_setaffinity_np(pthread_self(), sizeof cores, &cores) != 0) fail("no such core");
}

// Takes turns on `word`, which counts them: this side has those that are `odd`, or the others.
void take_turns(std::atomic<uint64_t>& word, uint64_t odd) {
  for (uint64_t turn = odd; turn < 2 * kTurns; turn += 2) {
    while (word.load(std::memory_order_acquire) != turn) {
    }
    word.store(turn + 1, std::memory_order_release);
  }
}

double one_way_ns(int here, int there) {
  alignas(128) std::atomic<uint64_t> word{0};
  std::thread other([&] {
    pin(there);
    take_turns(word, 1);
  });
  pin(here);
  const auto begin = std::chrono::steady_clock::now();
  take_turns(word, 0);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  other.join();
  return spent.count() / (2 * kTurns);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 1 && argc != 3) fail("usage: core_to_core [CORE CORE]");
  const int here = argc == 3 ? std::atoi(argv[1]) : 0;
  const int there = argc == 3 ? std::atoi(argv[2]) : 1;
  if (here == there) fail("two different cores are needed");
  std::array<double, kRounds> rounds;
  for (double& each : rounds) each = one_way_ns(here, there);
  std::sort(rounds.begin(), rounds.end());
  std::printf("%.0f\n", rounds[kRounds / 2]);
}
