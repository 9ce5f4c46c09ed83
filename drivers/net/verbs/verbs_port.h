// SPDX-License-Identifier: BSD-3-Clause
// The state of one net_verbs port, and who may touch it:
//   control   the thread that calls rte_ethdev's set-up functions
//   keeper    the port's own thread (verbs_keeper.h): address handles, failed queue pairs, events
//   rx, tx    the lcore that polls the one receive queue, or sends on the one transmit queue
#pragma once

#include <ethdev_driver.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "verbs_address_handles.h"
#include "verbs_counters.h"
#include "verbs_devargs.h"
#include "verbs_device.h"
#include "verbs_frame.h"
#include "verbs_keeper.h"
#include "verbs_memory.h"
#include "verbs_queue_pair.h"
#include "verbs_turn.h"

namespace lambdacast::net_verbs {

// Work requests posted, and completions taken, with one call.
inline constexpr uint32_t kChain = 32;

// Where a receive lies in its mbuf: behind the GRH there is room for the headers in front of the
// message, so that the frame begins in the headroom's last bytes at worst.
inline constexpr uint32_t kGrhOffset = RTE_PKTMBUF_HEADROOM + 44;
inline constexpr uint32_t kMessageOffset = kGrhOffset + kGrhBytes;
static_assert(kMessageOffset >= kMaxFrontBytes);

struct DestroyQueue {
  void operator()(ibv_cq* queue) const { (void)::ibv_destroy_cq(queue); }
};
using CompletionQueue = std::unique_ptr<ibv_cq, DestroyQueue>;

using QueuePairs = std::vector<std::unique_ptr<QueuePair>>;

struct Port;

struct alignas(base::kCacheLinePairBytes) RxQueue {
  Port* port = nullptr;
  rte_mempool* pool = nullptr;
  uint16_t descriptors = 0;
  uint32_t receive_bytes = 0;  // posted for each message, GRH included
  uint64_t rearm = 0;          // data_off, refcnt, nb_segs, port as one word of the mbuf
  Turn turn;
  RxCounters counters;
  std::array<ibv_recv_wr, kChain> requests;
  std::array<ibv_sge, kChain> pieces;
};

struct alignas(base::kCacheLinePairBytes) TxQueue {
  Port* port = nullptr;
  uint16_t descriptors = 0;
  rte_mempool* copies = nullptr;  // for frames that cannot be sent from where they are
  Turn turn;
  TxCounters counters;
  std::array<ibv_send_wr, kChain> requests;
  std::array<ibv_sge, kChain> pieces;
  std::array<rte_mbuf*, kChain> frames;  // of the requests, as they came
  std::array<rte_mbuf*, kChain> held;    // until it is sent: the frame, its copy, or nothing
  uint32_t chained = 0;
  QueuePair* chained_for = nullptr;
};

// The values that rte_eth_stats_reset last saw, by position among the statistics.
inline constexpr size_t kMaxStatistics = 64;

struct Port {
  Devargs devargs;
  std::unique_ptr<Device> device;
  rte_ether_addr mac{};
  // These live from the last of the queue set-ups to their release, in this order.
  std::unique_ptr<Memory> memory;
  CompletionQueue send_completions;
  CompletionQueue receive_completions;
  QueuePairs queue_pairs;
  std::unique_ptr<AddressHandles> handles;
  std::unique_ptr<RxQueue> rx_queue;
  std::unique_ptr<TxQueue> tx_queue;
  ControlCounters counters;  // of the keeper
  std::unique_ptr<Keeper> keeper;
  std::array<uint64_t, kMaxStatistics> at_reset{};

  [[nodiscard]] QueuePair* pair(uint32_t number) const {
    for (const auto& each : queue_pairs) {
      if (each->number() == number) return each.get();
    }
    return nullptr;
  }
};

[[nodiscard]] inline Port& port_of(const rte_eth_dev* dev) {
  return *static_cast<Port*>(dev->data->dev_private);
}

uint16_t rx_burst(void* queue, rte_mbuf** mbufs, uint16_t count);
uint16_t tx_burst(void* queue, rte_mbuf** mbufs, uint16_t count);
// Posts as many receives as the queue pair has room for. The caller has the queue's turn. Returns
// false if the queue pair does not take them.
bool post_receives(RxQueue& queue, QueuePair& pair);
// Takes the completions of what the device has sent. The caller has the queue's turn.
void reap_sends(TxQueue& queue);
int tx_done_cleanup(void* queue, uint32_t count);

// verbs_ethdev.cc
extern const eth_dev_ops kOps;
int dev_close(rte_eth_dev* dev);

// verbs_statistics.cc
int stats_get(rte_eth_dev* dev, rte_eth_stats* stats);
int stats_reset(rte_eth_dev* dev);
int xstats_get_names(rte_eth_dev* dev, rte_eth_xstat_name* names, unsigned int size);
int xstats_get(rte_eth_dev* dev, rte_eth_xstat* values, unsigned int size);

extern int log_type;
#define VERBS_LOG(level, format, ...)                                                    \
  rte_log(RTE_LOG_##level, ::lambdacast::net_verbs::log_type, "net_verbs: " format "\n", \
          ##__VA_ARGS__)

}  // namespace lambdacast::net_verbs
