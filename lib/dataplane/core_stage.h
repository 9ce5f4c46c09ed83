// A stage between two links whose core judges each packet by its PacketInfo: `reliability` and
// `ordering`. The core is the one the simulator runs.
#pragma once

#include <algorithm>

#include "dataplane/link.h"
#include "dataplane/packet.h"
#include "dataplane/stage.h"
#include "ordering/ordering_core.h"
#include "reliability/reliability_core.h"

namespace lambdacast::dataplane {

template <typename Core>
class CoreStage : public Stage {
 public:
  template <typename Config>
  CoreStage(const Config& config, uint32_t burst, Link& in, Link& out)
      : core_(config), burst_(burst), in_(in), out_(out) {}

  uint32_t poll(uint64_t) override {
    rte_mbuf* packets[kMaxBurst];
    const uint32_t got = in_.pull(packets, std::min(burst_, out_.room()));
    if (got == 0) return 0;

    rte_mbuf* dropped[kMaxBurst];
    uint32_t accepted_count = 0;
    uint32_t dropped_count = 0;
    for (uint32_t i = 0; i < got; ++i) {
      rte_mbuf* m = packets[i];
      const counters::DropReason outcome = core_.accept(info_of(m));
      if (outcome == counters::DropReason::kNone) [[likely]] {
        packets[accepted_count++] = m;
      } else {
        counters_.drops.add(outcome);
        dropped[dropped_count++] = m;
      }
    }
    counters_.received += got;
    counters_.forwarded += accepted_count;
    out_.push(packets, accepted_count);
    if (dropped_count != 0) [[unlikely]]
      rte_pktmbuf_free_bulk(dropped, dropped_count);
    return got;
  }

  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] const StageCounters& counters() const { return counters_; }

 private:
  Core core_;
  uint32_t burst_;
  Link& in_;
  Link& out_;
  StageCounters counters_;
};

}  // namespace lambdacast::dataplane
