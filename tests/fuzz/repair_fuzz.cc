// SPDX-License-Identifier: BSD-3-Clause
// A switch that mends trees, among neighbours that send it any bytes as records of frames that are
// well named and numbered: it sends frames of whole records, and none to a neighbour that is dead.
#include <algorithm>
#include <cstdlib>

#include "fuzz_input.h"
#include "trees/tree_core.h"

namespace {

using namespace lambdacast::trees;  // of this program alone

void require(bool holds) {
  if (!holds) std::abort();
}

class Out final : public RepairOutlet {
 public:
  explicit Out(const TreeCore*& core) : core_(core) {}
  void send(size_t port, const RepairFrame& frame) override {
    require(!core_->dead(port));
    std::span<const uint8_t> body = frame.records();
    while (take_record(body)) continue;
    require(body.empty());
  }

 private:
  const TreeCore*& core_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lambdacast::congest::Graph;
  static const Graph graph(6, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 5}, {4, 5}});
  static const InstalledGroups installed(
      {{1, {0, {2, 3}}}, {1, {4, {0}}}, {2, {0, {5}}}, {3, {2, {0, 4}}}, {4, {0, {1, 5}}}});
  lambdacast::test::FuzzInput input(data, size);
  RepairSettings settings;
  const uint8_t with = input.byte();
  settings.improvements = {(with & 1) != 0,  (with & 2) != 0,  (with & 4) != 0, (with & 8) != 0,
                           (with & 16) != 0, (with & 32) != 0, (with & 64) != 0};
  settings.spanner_k = 1 + with / 64;
  TreeCore core(graph, 0, settings, installed);
  const TreeCore* view = &core;
  Out out(view);
  uint8_t numbers[3] = {};
  FloodName names[3];
  for (uint64_t now_ns = 1; !input.empty();) {
    const uint8_t what = input.byte();
    const size_t port = what % 3;
    now_ns += uint64_t{what / 16u} * 4'000;
    if (core.next_deadline_ns() <= now_ns) core.on_timer(now_ns, out);
    if ((what & 8) != 0) {  // a flood of its own, or that of the switch
      const uint8_t generation = input.byte();
      names[port] = generation < 128 ? core.name() : FloodName{generation, input.byte()};
      numbers[port] = 0;
    }
    const lambdacast::test::Bytes records = input.bytes(input.byte() % (kBodyBytes + 1));
    RepairFrame frame{.name = names[port], .numbered = !records.empty()};
    frame.acknowledges = (what & 4) != 0;
    frame.next = frame.acknowledges ? input.byte() : uint8_t{0};
    frame.number = frame.numbered ? numbers[port]++ : uint8_t{0};
    frame.bytes = static_cast<uint8_t>(records.size());
    std::copy(records.begin(), records.end(), frame.body.begin());
    core.on_frame(port, frame, now_ns, out);
  }
  return 0;
}
