// SPDX-License-Identifier: BSD-3-Clause
// The state of one net_odbss port, and who may touch it:
//   control   the thread that calls rte_ethdev's set-up functions and odbss_control.h
//   rx, tx    the lcore that polls a queue
#pragma once

#include <ethdev_driver.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cacheline.h"
#include "base/counter.h"
#include "base/published.h"
#include "fabric/fabric.h"
#include "fabric/faults.h"
#include "fabric/rate_queue.h"
#include "odbss_devargs.h"
#include "odbss_filter.h"

namespace lambdacast::odbss {

// Counts the frames of one wavelength at one receive queue by outcome. rx writes it.
// Identity: head now - head at start = frames - duplicated + missed + rx_rate_dropped + no_mbuf +
// filtered + fault_lost + too_long, once the queue is drained.
struct WavelengthCounters {
  base::Counter frames;  // handed to the application
  base::Counter bytes;
  base::Counter missed;            // overwritten before they were read: ring overrun
  base::Counter rx_rate_dropped;   // did not fit the buffer in front of the injected rx_rate
  base::Counter no_mbuf;           // read while the mempool was empty
  base::Counter filtered;          // not for this port's addresses
  base::Counter too_long;          // longer than the MTU allows
  base::Counter fault_lost;        // taken by the injected loss
  base::Counter fault_corrupted;   // handed over with one bit flipped
  base::Counter fault_duplicated;  // handed over twice
};

// A wavelength as one queue hears it. rx only, once started.
struct alignas(base::kCacheLineBytes) Listener {
  fabric::Receiver receiver;
  fabric::FaultInjector faults;
  uint32_t wavelength = 0;
  bool lit = false;           // dark wavelengths are not polled
  uint64_t arrival = 0;       // of the frame peeked at, with faults; in ticks of the TSC
  uint64_t last_arrival = 0;  // of the frame before it
  WavelengthCounters counters;
};

// Frames on their way from the fabric to the application while faults are injected: those in the
// buffer in front of rx_rate. What is known of each lies in its headroom, which is ours until then.
struct HeldFrames {
  rte_mbuf* first = nullptr;
  rte_mbuf* last = nullptr;
  uint32_t count = 0;
};

// How a queue injects faults. rx only.
struct Impairments {
  bool any = false;
  bool only_loses = false;
  uint64_t delay_ns = 0;
  uint64_t ticks_hz = 0;
  fabric::RateQueue bottleneck;  // this queue's share of rx_rate
  HeldFrames held;
  std::vector<Listener*> arriving;  // a heap, the earliest arrival on top
};

struct alignas(base::kCacheLinePairBytes) RxQueue {
  static constexpr uint32_t kStash = 64;

  // Read every poll; control writes them before start.
  const fabric::Fabric* fabric = nullptr;
  const AddressFilter* filter = nullptr;
  const base::Published<fabric::FaultRates>* faults = nullptr;
  rte_mempool* pool = nullptr;
  uint64_t rearm = 0;  // data_off, refcnt, nb_segs, port as one word of the mbuf
  std::atomic<uint32_t> max_frame_bytes = 0;  // from the MTU, which may change any time
  uint32_t mbuf_room_bytes = 0;               // behind the headroom
  uint32_t share = 1;                         // of rx_rate: one of so many queues
  uint64_t lit_generation = 0;                // the fabric's, as last looked at
  uint64_t faults_version = ~uint64_t{0};     // the port's, as last taken over
  bool impaired = false;                      // by any fault, or frames held from before
  bool only_loses = false;                    // with impaired: there is no other fault
  // rx only.
  uint32_t turn = 0;  // index into `lit` of the wavelength polled first
  uint32_t stashed = 0;
  std::vector<Listener*> lit;
  rte_mbuf* stash[kStash];  // fresh mbufs, so that an empty poll allocates nothing
  std::vector<Listener> listeners;
  Impairments impairments;
};

struct alignas(base::kCacheLinePairBytes) TxQueue {
  fabric::Transmitter* transmitter = nullptr;  // null: wavelength=none
  bool fast_free = false;                      // RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
  uint64_t keep_flag = 0;                      // fabric/keep_flag.h; 0: no bit was left for it
  std::atomic<uint64_t> line_rate_bps = 0;     // 0: none. Written by control
  base::Counter frames;                        // tx from here on
  base::Counter bytes;
  base::Counter errors;       // longer than the fabric's frames, or no transmitter
  base::Counter held_back;    // bursts that the line rate did not let go whole
  uint64_t line_has_bps = 0;  // the rate that `line` was made for
  fabric::RateQueue line;
};

// A total over a port's queues, and what rte_eth_stats_reset last saw of it.
struct Totals {
  uint64_t rx_frames = 0, rx_bytes = 0, missed = 0, no_mbuf = 0;
  uint64_t filtered = 0, too_long = 0;
  uint64_t fault_lost = 0, fault_corrupted = 0, fault_duplicated = 0, rx_rate_dropped = 0;
  uint64_t line_rate_held_back = 0;
  uint64_t tx_frames = 0, tx_bytes = 0, tx_errors = 0;
};

struct Port {
  Devargs devargs;
  std::unique_ptr<fabric::Fabric> fabric;
  std::optional<uint32_t> wavelength;  // what it transmits on; nothing: receives only
  fabric::Transmitter transmitter;
  base::Published<fabric::FaultRates> faults;
  uint64_t line_rate_bps = 0;
  rte_ether_addr mac{};
  AddressFilter filter;
  std::vector<uint32_t> selected;  // wavelengths listened to
  std::vector<std::unique_ptr<RxQueue>> rx_queues;
  std::unique_ptr<TxQueue> tx_queue;
  Totals at_reset;
  std::vector<Totals> wavelength_at_reset;  // by position in `selected`
};

// Ethernet and one VLAN tag. MTU counts what follows.
inline constexpr uint32_t kFrameOverheadBytes = RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN;

[[nodiscard]] inline Port& port_of(const rte_eth_dev* dev) {
  return *static_cast<Port*>(dev->data->dev_private);
}

uint16_t rx_burst(void* queue, rte_mbuf** mbufs, uint16_t count);
uint16_t rx_burst_scattered(void* queue, rte_mbuf** mbufs, uint16_t count);
// Counts the frames that wait in the queue. Those that an injected rx_rate or delay keeps count
// too. Call it on the lcore that polls the queue.
uint32_t rx_queue_count(void* queue);
uint16_t tx_burst(void* queue, rte_mbuf** mbufs, uint16_t count);

// odbss_ethdev.cc
extern const eth_dev_ops kOps;
int dev_close(rte_eth_dev* dev);

// odbss_control.cc
void show_line_rate(rte_eth_dev* dev);  // in the link's speed

// odbss_rx_faults.cc
void free_held(HeldFrames& held);

// odbss_stats.cc
// Counters that go away with their queue stay in the port's statistics.
void keep_counters(Port& port, const RxQueue& queue);
void keep_counters(Port& port, const TxQueue& queue);
int stats_get(rte_eth_dev* dev, rte_eth_stats* stats);
int stats_reset(rte_eth_dev* dev);
int xstats_get_names(rte_eth_dev* dev, rte_eth_xstat_name* names, unsigned int size);
int xstats_get(rte_eth_dev* dev, rte_eth_xstat* values, unsigned int count);

extern int log_type;
#define ODBSS_LOG(level, format, ...) \
  rte_log(RTE_LOG_##level, ::lambdacast::odbss::log_type, "net_odbss: " format "\n", ##__VA_ARGS__)

}  // namespace lambdacast::odbss
