// Stage `neighbor` of an endpoint on a real network: drives neighbor::NeighborProtocol on the
// receive lcore. Frames come from the receive stage, which has refused them as data; what is to be
// said goes by a link of its own to rate_control, the only one to transmit, and there before the
// data.
#pragma once

#include <rte_ring.h>

#include <memory>
#include <optional>

#include "base/result.h"
#include "counters/drop_reason.h"
#include "dpdk/link.h"
#include "endpoint/stage.h"
#include "neighbor/mac_directory.h"
#include "neighbor/neighbor_protocol.h"

namespace lambdacast::dataplane {

class NeighborStage final : public Stage {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<NeighborStage>> create(
      const std::string& name, const neighbor::NeighborConfig& config, rte_mempool* pool,
      Link& control);

  [[nodiscard]] const char* name() const override { return "neighbor"; }
  uint32_t poll(uint64_t now_ns) override;

  // --- the receive lcore ----------------------------------------------------------------------
  // Whether a frame refused for this reason may be ARP, neighbor discovery, IGMP or MLD.
  [[nodiscard]] static bool may_be_control(counters::DropReason reason) {
    return reason == counters::DropReason::kNotIp || reason == counters::DropReason::kNotUdp ||
           reason == counters::DropReason::kIpv6Extension;
  }
  // The reason to count the frame under: kNeighborMessage if it was taken.
  [[nodiscard]] counters::DropReason take(const uint8_t* frame, size_t bytes,
                                          counters::DropReason refused, uint64_t now_ns);
  neighbor::Lookup resolve(const wire::Gid& gid, uint64_t now_ns);
  // Leaves the groups; poll until quiet().
  void leave(uint64_t now_ns);
  [[nodiscard]] bool quiet() const { return core_.quiet(); }
  [[nodiscard]] const neighbor::NeighborProtocol& core() const { return core_; }

  // --- any lcore ------------------------------------------------------------------------------
  // For unicast frames. find() may have nothing yet: request() makes the stage ask for it, and
  // refreshes what is old; a full queue of requests takes no more, so repeat it.
  [[nodiscard]] const neighbor::MacDirectory& directory() const { return directory_; }
  void request(const wire::Gid& gid);

 private:
  struct FreeRing {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  NeighborStage(const neighbor::NeighborConfig& config, rte_mempool* pool, Link& control,
                rte_ring* requests);
  void take_requests(uint64_t now_ns);
  [[nodiscard]] bool send_one(uint64_t now_ns);
  void note_change();

  neighbor::NeighborProtocol core_;
  neighbor::MacDirectory directory_;
  rte_mempool* pool_;
  Link& control_;
  std::unique_ptr<rte_ring, FreeRing> requests_;  // of GIDs
  bool started_ = false;
  uint64_t due_ns_ = 0;  // nothing to send before
};

}  // namespace lambdacast::dataplane
