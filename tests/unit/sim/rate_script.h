// SPDX-License-Identifier: BSD-3-Clause
// Logs of rates, written by hand.
#pragma once

#include "order_script.h"

namespace lambdacast::sim {

inline constexpr uint64_t kScriptMega = 1'000'000;

// Three nodes that take 100 Mbit/s each and keep 6 of them, in a view from the beginning. Without a
// share each may send 6 / (3 * 3) Mbit/s. A frame is 1000 bytes, and a burst one longest frame.
class RateScript : public OrderScript {
 public:
  RateScript() : OrderScript(3) {
    log_.rates = true;
    scenario_.fabric.faults_end_ns = 0;
    for (NodeScenario& node : scenario_.nodes) {
      node.clock_offset_ns = 0;
      node.rate.capacity_bps = 100 * kScriptMega;
      node.rate.reserve_percent = 6;
      node.rate.burst_ns = 1'000;
    }
    install(1, {0, 1, 2});
  }
  void allow(uint32_t life, uint64_t bps, bool shared = true) {
    log_.allowances.push_back({life, step(), bps, shared});
  }
  // So many frames of data, one each `every_ns`.
  void send(uint32_t life, size_t frames, uint64_t every_ns) {
    for (; frames != 0; --frames) {
      const uint64_t now_ns = step();
      log_.wire.push_back({life, 1'000, now_ns, true, now_ns});
      pass(every_ns - kStepNs);
    }
  }
  // It announces a need; what it takes and keeps is the scenario's.
  void announce(uint32_t life, uint64_t need_bps) {
    log_.rates_said.push_back({.life = life,
                               .at_ns = step(),
                               .need_bps = need_bps,
                               .room_bps = 94 * kScriptMega,
                               .reserve_bps = 6 * kScriptMega});
  }
  // A word of the view, sent at the time it is heard or `ago_ns` before.
  void vouch(uint32_t sender, uint32_t receiver, uint64_t suspects = 0, uint64_t ago_ns = 0) {
    const uint64_t now_ns = step();
    log_.vouched.push_back({sender, receiver, now_ns - ago_ns, now_ns, 1, 1, 1, suspects});
  }
  // An unreliable message waits from now on for so long.
  void wait_to_send(uint32_t life, uint64_t ns) {
    Publication publication;
    publication.life = life;
    publication.accepted_ns = step();
    publication.sent_ns = publication.accepted_ns + ns;
    log_.publications.push_back(publication);
  }
};

}  // namespace lambdacast::sim
