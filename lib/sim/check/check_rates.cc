// SPDX-License-Identifier: BSD-3-Clause
// Whether nodes that agree on their rates keep to them, from the frames that went out and the
// scenario alone.
#include <algorithm>
#include <vector>

#include "base/wire_bytes.h"
#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/outside_rate.h"
#include "sim/check/violations.h"
#include "sim/engine/served_queue.h"

namespace lambdacast::sim {
namespace {

// The most bytes that one node may send at once, control included.
uint64_t burst_of(const Scenario& scenario, const NodeScenario& node, uint64_t most_bps) {
  const uint64_t longest = base::wire_bytes(scenario.path_mtu + 100);
  const uint64_t share =
      std::min(most_bps, node.rate.limit_bps == 0 ? most_bps : node.rate.limit_bps);
  const uint64_t earned = share / 1'000 * node.rate.burst_ns / 8'000'000;
  // Its burst, a frame into debt; as much of control, whose urgent frames wait for nothing.
  constexpr uint64_t kControlFrames = 40;
  return 2 * std::max(earned, longest) + longest + kControlFrames * longest / 2;
}

// The time in which the others know of a life's capacity: from the moment at which all who come
// along to its first view have begun it, until it is out.
struct Protected {
  uint64_t begin_ns = kNever;
  uint64_t end_ns = kNever;
};

Protected protected_time(const Log& log, const LogIndex& index, uint32_t life) {
  Protected out;
  const auto same = [](const InstalledView& a, const InstalledView& b) {
    return a.epoch == b.epoch && a.round == b.round && a.coordinator == b.coordinator;
  };
  const auto first = std::find_if(log.views.begin(), log.views.end(),
                                  [&](const InstalledView& view) { return view.life == life; });
  if (first == log.views.end()) return out;
  out.end_ns = std::min(log.lives[life].died_ns, log.lives[life].left_ns);
  for (const InstalledView& view : log.views) {  // in order of time
    if (same(view, *first)) out.begin_ns = view.at_ns;
    const bool member =
        std::find(view.members.begin(), view.members.end(), life) != view.members.end();
    if (!member && view.epoch > first->epoch)
      out.end_ns = std::min(out.end_ns, index.begun_ns(view));
  }
  for (const Told& told : log.told) {
    if (told.what == Told::What::kExcluded && told.receiver == life)
      out.end_ns = std::min(out.end_ns, told.at_ns);
  }
  return out;
}

// The members of the view that a life is in at some moment, asked in order of time.
class MembersOf {
 public:
  MembersOf(const Log& log, uint32_t life) : log_(log), life_(life) {}
  [[nodiscard]] bool contain(uint32_t other, uint64_t at_ns) {
    for (; next_ < log_.views.size() && log_.views[next_].at_ns <= at_ns; ++next_) {
      if (log_.views[next_].life == life_) members_ = &log_.views[next_].members;
    }
    return members_ != nullptr && std::ranges::count(*members_, other) != 0;
  }

 private:
  const Log& log_;
  const uint32_t life_;
  size_t next_ = 0;
  const std::vector<uint32_t>* members_ = nullptr;
};

}  // namespace

Violations check_envelope(const Scenario& scenario, const Log& log) {
  ViolationList list("Envelope");
  if (!log.rates) return list.take();
  const LogIndex index(scenario, log);
  uint64_t most_bps = 0;
  for (const NodeScenario& node : scenario.nodes)
    most_bps = std::max(most_bps, node.rate.capacity_bps);
  for (uint32_t life = 0; life < log.lives.size(); ++life) {
    const size_t receiver = log.lives[life].node;
    const uint64_t capacity = scenario.nodes[receiver].rate.capacity_bps;
    const Protected when = protected_time(log, index, life);
    if (capacity == 0 || when.begin_ns == kNever) continue;
    uint64_t buffer = 0;
    for (size_t node = 0; node < scenario.nodes.size(); ++node) {
      if (node != receiver) buffer += burst_of(scenario, scenario.nodes[node], most_bps);
    }
    ServedQueue queue(capacity);
    uint64_t most = 0;
    uint64_t most_ns = 0;
    for (const OnWire& frame : log.wire) {
      if (log.lives[frame.life].node == receiver || frame.at_ns < when.begin_ns ||
          frame.at_ns >= when.end_ns)
        continue;
      const uint64_t waiting = queue.offer(frame.at_ns, frame.bytes);
      if (waiting <= most) continue;
      most = waiting;
      most_ns = frame.at_ns;
    }
    if (most > buffer) {
      list.add("node " + std::to_string(receiver) + " would have had " + std::to_string(most) +
               " bytes waiting at " + std::to_string(most_ns) + " ns, and may have " +
               std::to_string(buffer));
    }
  }
  return list.take();
}

Violations check_shares(const Scenario& scenario, const Log& log) {
  ViolationList list("Shares");
  if (!log.rates) return list.take();
  const LogIndex index(scenario, log);
  for (uint32_t life = 0; life < log.lives.size(); ++life) {
    const NodeScenario& node = scenario.nodes[log.lives[life].node];
    const Protected when = protected_time(log, index, life);
    if (node.rate.capacity_bps == 0 || when.begin_ns == kNever) continue;
    const uint64_t room = node.rate.capacity_bps / 100 * (100 - node.rate.reserve_percent);
    // Those without a share are paid from a third of the reserve.
    const uint64_t most = room + node.rate.capacity_bps / 100 * node.rate.reserve_percent / 3;
    std::vector<uint64_t> bps(log.lives.size());
    MembersOf members(log, life);
    for (size_t i = 0; i < log.allowances.size(); ++i) {
      const Allowance& each = log.allowances[i];
      if (each.at_ns >= when.end_ns) break;
      bps[each.life] =
          each.shared && log.lives[each.life].node != log.lives[life].node ? each.bps : 0;
      // Several may begin the life's first view in one moment, each with a lower share, and the log
      // has one before the other. Any later rise waits for what it follows from.
      const bool begins = each.at_ns == when.begin_ns && i + 1 < log.allowances.size() &&
                          log.allowances[i + 1].at_ns == each.at_ns;
      if (begins || each.at_ns < when.begin_ns) continue;
      uint64_t sum = 0;
      for (uint32_t other = 0; other < log.lives.size(); ++other) {
        if (log.lives[other].died_ns <= each.at_ns) continue;
        // A life that is still in an earlier view may send as much without a share, too.
        if (bps[other] != 0 && !members.contain(other, each.at_ns) &&
            bps[other] <= outside_bps(scenario, log, other))
          continue;
        sum = bps[other] > ~sum ? ~uint64_t{0} : sum + bps[other];
      }
      if (sum <= most) continue;
      list.add("node " + std::to_string(log.lives[life].node) + " may be sent " +
               std::to_string(sum) + " bit/s at " + std::to_string(each.at_ns) +
               " ns, and has room for " + std::to_string(room));
      break;
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
