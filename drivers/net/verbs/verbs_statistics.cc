// SPDX-License-Identifier: BSD-3-Clause
// Basic and extended statistics. The data path only ever adds; a reset remembers what it saw.
#include <cstdio>
#include <string>
#include <vector>

#include "verbs_port.h"

namespace lambdacast::net_verbs {
namespace {

struct Statistic {
  const char* name;
  uint64_t value;
};

// In the order of at_reset: the basic ones, then the port's extended ones, then those that no reset
// touches: the numbers of the queue pairs, which the device chose.
constexpr size_t kBasic = 5;
struct Statistics {
  std::vector<Statistic> counts;
  std::vector<uint32_t> queue_pairs;
};

Statistics read(const Port& port) {
  static const RxCounters kNoRx;
  static const TxCounters kNoTx;
  const RxCounters& rx = port.rx_queue != nullptr ? port.rx_queue->counters : kNoRx;
  const TxCounters& tx = port.tx_queue != nullptr ? port.tx_queue->counters : kNoTx;
  const ControlCounters& control = port.counters;
  Statistics all;
  all.counts = {
      {"rx_frames", rx.frames.get()},   {"rx_bytes", rx.bytes.get()},
      {"rx_no_mbuf", rx.no_mbuf.get()}, {"tx_frames", tx.frames.get()},
      {"tx_bytes", tx.bytes.get()},
#define VERBS_RX(name) {#name, rx.name.get()},
#define VERBS_TX(name) {#name, tx.name.get()},
#define VERBS_CONTROL(name) {#name, control.name.get()},
#include "verbs_counters.def"
#undef VERBS_RX
#undef VERBS_TX
#undef VERBS_CONTROL
  };
  for (const auto& pair : port.queue_pairs) all.queue_pairs.push_back(pair->number());
  return all;
}

// Frames that came or went wrong, of those since the last reset.
uint64_t errors(const Port& port, const Statistics& now, const std::string& prefix) {
  uint64_t sum = 0;
  for (size_t i = kBasic; i < now.counts.size(); ++i) {
    const std::string name = now.counts[i].name;
    const bool is_error = name.starts_with(prefix) && name != "rx_wc_flushed" &&
                          name != "rx_own_frames" && name != "tx_copied" && name != "tx_inline" &&
                          name != "tx_full";
    if (is_error) sum += now.counts[i].value - port.at_reset[i];
  }
  return sum;
}

}  // namespace

int stats_get(rte_eth_dev* dev, rte_eth_stats* stats) {
  const Port& port = port_of(dev);
  const Statistics now = read(port);
  const auto since = [&](size_t i) { return now.counts[i].value - port.at_reset[i]; };
  stats->ipackets = since(0);
  stats->ibytes = since(1);
  stats->rx_nombuf = since(2);
  stats->opackets = since(3);
  stats->obytes = since(4);
  stats->ierrors = errors(port, now, "rx_");
  stats->oerrors = errors(port, now, "tx_");
  return 0;
}

// DPDK resets basic and extended statistics separately; here both are one set of counters.
int stats_reset(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  const Statistics now = read(port);
  for (size_t i = 0; i < now.counts.size(); ++i) port.at_reset[i] = now.counts[i].value;
  return 0;
}

int xstats_get_names(rte_eth_dev* dev, rte_eth_xstat_name* names, unsigned int size) {
  const Statistics now = read(port_of(dev));
  const auto count = now.counts.size() - kBasic + now.queue_pairs.size();
  if (names == nullptr || size < count) return static_cast<int>(count);
  for (size_t i = kBasic; i < now.counts.size(); ++i) {
    std::snprintf(names++->name, RTE_ETH_XSTATS_NAME_SIZE, "%s", now.counts[i].name);
  }
  for (size_t i = 0; i < now.queue_pairs.size(); ++i) {
    std::snprintf(names++->name, RTE_ETH_XSTATS_NAME_SIZE, "queue_pair%zu", i);
  }
  return static_cast<int>(count);
}

int xstats_get(rte_eth_dev* dev, rte_eth_xstat* values, unsigned int size) {
  const Port& port = port_of(dev);
  const Statistics now = read(port);
  const auto count = now.counts.size() - kBasic + now.queue_pairs.size();
  if (values == nullptr || size < count) return static_cast<int>(count);
  uint64_t id = 0;
  for (size_t i = kBasic; i < now.counts.size(); ++i, ++id) {
    values[id] = {id, now.counts[i].value - port.at_reset[i]};
  }
  for (const uint32_t number : now.queue_pairs) {
    values[id] = {id, number};
    ++id;
  }
  return static_cast<int>(count);
}

}  // namespace lambdacast::net_verbs
