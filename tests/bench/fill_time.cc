// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds of one fill() (lib/rate_control/max_min.h): members of a view that are alike, which
// takes one round, and an input in which each round settles one transmitter.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "rate_control/max_min.h"

using namespace lambdacast;
using rate_control::FilledShare;

namespace {

struct Input {
  std::vector<uint64_t> cap;
  std::vector<uint64_t> room;
  std::vector<base::NodeSet> hears;
};

Input alike(size_t nodes) {
  Input input{std::vector<uint64_t>(nodes, rate_control::kUnlimitedBps),
              std::vector<uint64_t>(nodes, 100'000'000'000),
              std::vector<base::NodeSet>(nodes, base::NodeSet::first(nodes))};
  for (size_t j = 0; j < nodes; ++j) input.hears[j].remove(j);
  return input;
}

// Receiver j hears the first j + 1, and has room for 1, 2, ... j + 1 units of them.
Input adversarial(size_t nodes) {
  constexpr uint64_t kUnit = 1'000'000'000;
  Input input{std::vector<uint64_t>(nodes, rate_control::kUnlimitedBps), {}, {}};
  for (size_t j = 0; j < nodes; ++j) {
    input.room.push_back((j + 1) * (j + 2) / 2 * kUnit);
    input.hears.push_back(base::NodeSet::first(j + 1));
  }
  return input;
}

// The median of 101 times, each of 100 calls.
double nanoseconds(const Input& input) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 100;
  std::vector<FilledShare> shares(input.cap.size());
  std::vector<double> each;
  for (int sample = 0; sample < 101; ++sample) {
    const auto begin = Clock::now();
    for (int call = 0; call < kCalls; ++call)
      rate_control::fill({input.cap, input.room, input.hears}, shares);
    each.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
  }
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

}  // namespace

int main() {
  for (const size_t nodes : {64, 80}) {
    std::printf("%zu members, alike: %.0f ns\n", nodes, nanoseconds(alike(nodes)));
    std::printf("%zu members, adversarial: %.0f ns\n", nodes, nanoseconds(adversarial(nodes)));
  }
}
