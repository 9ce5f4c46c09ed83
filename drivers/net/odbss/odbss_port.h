// The state of one net_odbss port, and who may touch it:
//   control   the thread that calls rte_ethdev's set-up functions
//   rx, tx    the lcore that polls a queue
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <ethdev_driver.h>

#include "base/cacheline.h"
#include "base/counter.h"
#include "fabric/fabric.h"
#include "fabric/faults.h"
#include "odbss_devargs.h"
#include "odbss_filter.h"

namespace lambdacast::odbss {

// What happened to the frames of one wavelength at one receive queue. Written by rx.
// Identity: head now - head at start = frames - duplicated + missed + no_mbuf + filtered +
// fault_lost + too_long, once the queue is drained.
struct WavelengthCounters {
  base::Counter frames;           // handed to the application
  base::Counter bytes;
  base::Counter missed;           // overwritten before they were read: ring overrun
  base::Counter no_mbuf;          // read while the mempool was empty
  base::Counter filtered;         // not for this port's addresses
  base::Counter too_long;         // longer than the MTU allows
  base::Counter fault_lost;       // taken by the injected loss
  base::Counter fault_corrupted;  // handed over with one bit flipped
  base::Counter fault_duplicated; // handed over twice
};

// A wavelength as one queue hears it. rx only, once started.
struct alignas(base::kCacheLineBytes) Listener {
  fabric::Receiver receiver;
  fabric::FaultInjector faults;
  uint32_t wavelength = 0;
  bool lit = false;  // dark wavelengths are not polled
  WavelengthCounters counters;
};

struct alignas(base::kCacheLinePairBytes) RxQueue {
  static constexpr uint32_t kStash = 64;

  // Read every poll; control writes them before start.
  const fabric::Fabric* fabric = nullptr;
  const AddressFilter* filter = nullptr;
  rte_mempool* pool = nullptr;
  uint64_t rearm = 0;            // data_off, refcnt, nb_segs, port as one word of the mbuf
  std::atomic<uint32_t> max_frame_bytes = 0;  // from the MTU, which may change any time
  uint32_t mbuf_room_bytes = 0;  // behind the headroom
  uint64_t lit_generation = 0;   // the fabric's, as last looked at
  // rx only.
  uint32_t turn = 0;             // index into `lit` of the wavelength polled first
  uint32_t stashed = 0;
  rte_mbuf* duplicate = nullptr; // an injected copy, waiting for its place in a burst
  std::vector<Listener*> lit;
  rte_mbuf* stash[kStash];       // fresh mbufs, so that an empty poll allocates nothing
  std::vector<Listener> listeners;
};

struct alignas(base::kCacheLinePairBytes) TxQueue {
  fabric::Transmitter* transmitter = nullptr;  // null: wavelength=none
  bool fast_free = false;                      // RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
  base::Counter frames;                        // tx from here on
  base::Counter bytes;
  base::Counter errors;                        // longer than the fabric's frames, or no transmitter
};

// A total over a port's queues, and what rte_eth_stats_reset last saw of it.
struct Totals {
  uint64_t rx_frames = 0, rx_bytes = 0, missed = 0, no_mbuf = 0;
  uint64_t filtered = 0, too_long = 0;
  uint64_t fault_lost = 0, fault_corrupted = 0, fault_duplicated = 0;
  uint64_t tx_frames = 0, tx_bytes = 0, tx_errors = 0;
};

struct Port {
  Devargs devargs;
  std::unique_ptr<fabric::Fabric> fabric;
  fabric::Transmitter transmitter;
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
uint16_t tx_burst(void* queue, rte_mbuf** mbufs, uint16_t count);

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
