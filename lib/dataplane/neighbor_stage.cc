#include "dataplane/neighbor_stage.h"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_ring_elem.h>

#include "dpdk/packet.h"

namespace lambdacast::dataplane {

using counters::DropReason;
using neighbor::NeighborProtocol;

namespace {

constexpr uint32_t kRequests = 64;
constexpr uint32_t kMostAtOnce = 32;            // frames a poll
constexpr uint64_t kNoMbufPauseNs = 1'000'000;  // an empty pool is asked again

static_assert(neighbor::kMaxNeighborFrameBytes <= kDataRoomBytes - RTE_PKTMBUF_HEADROOM);

}  // namespace

base::Result<std::unique_ptr<NeighborStage>> NeighborStage::create(
    const std::string& name, const neighbor::NeighborConfig& config, rte_mempool* pool,
    Link& control) {
  rte_ring* requests = rte_ring_create_elem(name.c_str(), sizeof(wire::Gid), kRequests,
                                            static_cast<int>(rte_socket_id()), RING_F_SC_DEQ);
  if (requests == nullptr) {
    return base::fail("cannot make the ring " + name + ": " + rte_strerror(rte_errno));
  }
  return std::unique_ptr<NeighborStage>(new NeighborStage(config, pool, control, requests));
}

NeighborStage::NeighborStage(const neighbor::NeighborConfig& config, rte_mempool* pool,
                             Link& control, rte_ring* requests)
    : core_(config),
      directory_(config.table.max_neighbors),
      pool_(pool),
      control_(control),
      requests_(requests) {
  directory_.publish(core_.table());
}

void NeighborStage::note_change() {
  due_ns_ = core_.next_deadline_ns();
  directory_.publish(core_.table());
}

DropReason NeighborStage::take(const uint8_t* frame, size_t bytes, DropReason refused,
                               uint64_t now_ns) {
  const NeighborProtocol::Taken taken = core_.receive(frame, bytes, now_ns);
  if (taken == NeighborProtocol::Taken::kOtherVlan) return DropReason::kWrongVlan;
  if (taken == NeighborProtocol::Taken::kNotOurs) return refused;
  note_change();
  return DropReason::kNeighborMessage;
}

neighbor::Lookup NeighborStage::resolve(const wire::Gid& gid, uint64_t now_ns) {
  const neighbor::Lookup found = core_.resolve(gid, now_ns);
  note_change();
  return found;
}

void NeighborStage::leave(uint64_t now_ns) {
  core_.leave(now_ns);
  note_change();
}

void NeighborStage::request(const wire::Gid& gid) {
  (void)rte_ring_mp_enqueue_elem(requests_.get(), const_cast<wire::Gid*>(&gid), sizeof gid);
}

void NeighborStage::take_requests(uint64_t now_ns) {
  wire::Gid gid;
  while (rte_ring_sc_dequeue_elem(requests_.get(), &gid, sizeof gid) == 0) {
    (void)core_.resolve(gid, now_ns);
  }
  note_change();
}

bool NeighborStage::send_one(uint64_t now_ns) {
  if (control_.room() == 0) return false;
  rte_mbuf* m = rte_pktmbuf_alloc(pool_);
  if (m == nullptr) {
    core_.counters().add(counters::NeighborEvent::kNoMbuf);
    due_ns_ = now_ns + kNoMbufPauseNs;
    return false;
  }
  const size_t bytes = core_.transmit(now_ns, frame_of(m));
  note_change();
  if (bytes == 0) {
    rte_pktmbuf_free(m);
    return false;
  }
  m->data_len = static_cast<uint16_t>(bytes);
  m->pkt_len = static_cast<uint32_t>(bytes);
  control_.push(&m, 1);
  return true;
}

uint32_t NeighborStage::poll(uint64_t now_ns) {
  if (!started_) [[unlikely]] {
    started_ = true;
    core_.start(now_ns);
    note_change();
  }
  if (rte_ring_empty(requests_.get()) == 0) [[unlikely]]
    take_requests(now_ns);
  uint32_t sent = 0;
  while (now_ns >= due_ns_ && sent < kMostAtOnce && send_one(now_ns)) ++sent;
  return sent;
}

}  // namespace lambdacast::dataplane
