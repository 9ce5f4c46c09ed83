// SPDX-License-Identifier: BSD-3-Clause
// Whether who has something to send that waits for nothing but its share sends that much.
#include <algorithm>

#include "base/wire_bytes.h"
#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {
namespace {

constexpr uint64_t kWindowNs = 1'000'000;

struct Interval {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// The times in which a message waits that no window, view or receiver holds back.
std::vector<Interval> backlogs(const Log& log, uint32_t life) {
  std::vector<Interval> found;
  const uint64_t end_ns = std::min(log.lives[life].died_ns, log.lives[life].left_ns);
  for (const Publication& each : log.publications) {  // in order of time
    if (each.life != life || each.qos != wire::Qos::kUnreliable) continue;
    const uint64_t sent_ns = std::min(each.sent_ns, end_ns);
    if (found.empty() || found.back().end_ns < each.accepted_ns)
      found.push_back({each.accepted_ns, sent_ns});
    else
      found.back().end_ns = std::max(found.back().end_ns, sent_ns);
  }
  return found;
}

// Is it the share alone that can slow this node down? A loop that is run seldom loses what it has
// earned beyond a burst, and a port may refuse.
bool runs_freely(const NodeScenario& node) {
  return !node.wild.on && node.poll_every_ns == 0 && node.pacer.units_per_second == 0;
}

// The bytes that one life may send and those that it sends, window by window.
class Use {
 public:
  Use(const Scenario& scenario, const Log& log, uint32_t life) {
    const NodeScenario& node = scenario.nodes[log.lives[life].node];
    burst_ns_ = node.rate.burst_ns;
    longest_ = base::wire_bytes(scenario.path_mtu + 100);
    for (const Allowance& each : log.allowances) {
      if (each.life == life) allowed_.push_back(each);
    }
    for (const OnWire& frame : log.wire) {
      if (frame.life == life) frames_.push_back(frame);
    }
  }

  // Bytes that it lacks in that window, which comes behind the last; 0: none.
  uint64_t lacking(uint64_t begin_ns) {
    const uint64_t end_ns = begin_ns + kWindowNs;
    uint64_t sent = 0;
    for (; frame_ < frames_.size() && frames_[frame_].at_ns < begin_ns; ++frame_) {
    }
    for (size_t i = frame_; i < frames_.size() && frames_[i].at_ns < end_ns; ++i)
      sent += frames_[i].bytes;
    // Control is paid into debt: a burst and a frame of it may be paid off in this window.
    const uint64_t may = earned(begin_ns, end_ns);
    const uint64_t slack =
        2 * (std::max(most_bps_ / 8 * burst_ns_ / 1'000'000'000, longest_) + longest_);
    return may > sent + slack ? may - sent - slack : 0;
  }

 private:
  // Bytes that its allowances bring in that time; 0 without a limit.
  uint64_t earned(uint64_t begin_ns, uint64_t end_ns) {
    unsigned __int128 bits = 0;
    most_bps_ = 0;
    uint64_t bps = ~uint64_t{0};
    uint64_t from_ns = 0;
    const auto add = [&](uint64_t until_ns) {
      const uint64_t first_ns = std::max(from_ns, begin_ns);
      const uint64_t last_ns = std::min(until_ns, end_ns);
      if (first_ns >= last_ns) return true;
      bits += static_cast<unsigned __int128>(bps) * (last_ns - first_ns);
      most_bps_ = std::max(most_bps_, bps);
      return bps != ~uint64_t{0};
    };
    for (const Allowance& each : allowed_) {
      if (!add(each.at_ns)) return 0;
      from_ns = each.at_ns;
      bps = each.bps;
    }
    return add(kNever) ? static_cast<uint64_t>(bits / 8'000'000'000) : 0;
  }

  uint64_t burst_ns_ = 0;
  uint64_t longest_ = 0;
  std::vector<Allowance> allowed_;
  std::vector<OnWire> frames_;
  size_t frame_ = 0;
  uint64_t most_bps_ = 0;
};

}  // namespace

Violations check_starved(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Starved");
  for (uint32_t life = 0; log.rates && life < log.lives.size(); ++life) {
    if (!runs_freely(index.node(life))) continue;
    Use use(scenario, log, life);
    for (const Interval& waits : backlogs(log, life)) {
      for (uint64_t at_ns = waits.begin_ns; at_ns + kWindowNs <= waits.end_ns; at_ns += kWindowNs) {
        const uint64_t lacking = use.lacking(at_ns);
        if (lacking == 0) continue;
        list.add(index.name(life) + " has data waiting and sends " + std::to_string(lacking) +
                 " bytes less than it may in the millisecond from " + std::to_string(at_ns) +
                 " ns");
      }
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
