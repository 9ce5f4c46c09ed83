// SPDX-License-Identifier: BSD-3-Clause
// Basic and extended statistics. The data path only ever adds; a reset remembers what it saw.
#include <algorithm>
#include <cstdio>

#include "odbss_port.h"

namespace lambdacast::odbss {
namespace {

// One list for names and values: extended statistics of the whole port.
struct PortXstat {
  const char* name;
  uint64_t Totals::*value;
};
constexpr PortXstat kPortXstats[] = {
    {"filtered", &Totals::filtered},
    {"too_long", &Totals::too_long},
    {"fault_lost", &Totals::fault_lost},
    {"fault_corrupted", &Totals::fault_corrupted},
    {"fault_duplicated", &Totals::fault_duplicated},
    {"rx_rate_dropped", &Totals::rx_rate_dropped},
    {"line_rate_held_back", &Totals::line_rate_held_back},
};

// And of each wavelength listened to: "wl13_frames".
constexpr PortXstat kWavelengthXstats[] = {
    {"frames", &Totals::rx_frames},
    {"bytes", &Totals::rx_bytes},
    {"missed", &Totals::missed},
    {"no_mbuf", &Totals::no_mbuf},
    {"filtered", &Totals::filtered},
    {"too_long", &Totals::too_long},
    {"fault_lost", &Totals::fault_lost},
    {"fault_corrupted", &Totals::fault_corrupted},
    {"fault_duplicated", &Totals::fault_duplicated},
    {"rx_rate_dropped", &Totals::rx_rate_dropped},
};

void accumulate(const WavelengthCounters& c, Totals& t) {
  t.rx_frames += c.frames.get();
  t.rx_bytes += c.bytes.get();
  // What a full buffer drops is missed, as at any port; rx_rate_dropped says how much of it.
  t.missed += c.missed.get() + c.rx_rate_dropped.get();
  t.rx_rate_dropped += c.rx_rate_dropped.get();
  t.no_mbuf += c.no_mbuf.get();
  t.filtered += c.filtered.get();
  t.too_long += c.too_long.get();
  t.fault_lost += c.fault_lost.get();
  t.fault_corrupted += c.fault_corrupted.get();
  t.fault_duplicated += c.fault_duplicated.get();
}

template <typename Use>
void each_listener(const Port& port, Use use) {
  for (const auto& queue : port.rx_queues) {
    if (queue == nullptr) continue;
    for (const Listener& listener : queue->listeners) use(listener);
  }
}

Totals port_totals(const Port& port) {
  Totals totals;
  each_listener(port, [&](const Listener& l) { accumulate(l.counters, totals); });
  if (port.tx_queue != nullptr) {
    totals.tx_frames = port.tx_queue->frames.get();
    totals.tx_bytes = port.tx_queue->bytes.get();
    totals.tx_errors = port.tx_queue->errors.get();
    totals.line_rate_held_back = port.tx_queue->held_back.get();
  }
  return totals;
}

Totals wavelength_totals(const Port& port, uint32_t wavelength) {
  Totals totals;
  each_listener(port, [&](const Listener& l) {
    if (l.wavelength == wavelength) accumulate(l.counters, totals);
  });
  return totals;
}

unsigned int xstat_count(const Port& port) {
  return static_cast<unsigned int>(std::size(kPortXstats) +
                                   port.selected.size() * std::size(kWavelengthXstats));
}

int reset_all(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  port.at_reset = port_totals(port);
  for (std::size_t i = 0; i < port.selected.size(); ++i) {
    port.wavelength_at_reset[i] = wavelength_totals(port, port.selected[i]);
  }
  return 0;
}

}  // namespace

// By way of what a reset remembers: differences are modulo 2^64, like the counters.
void keep_counters(Port& port, const RxQueue& queue) {
  for (const Listener& listener : queue.listeners) {
    Totals gone;
    accumulate(listener.counters, gone);
    const auto place = std::find(port.selected.begin(), port.selected.end(), listener.wavelength);
    Totals& of_wavelength = port.wavelength_at_reset[place - port.selected.begin()];
    for (const PortXstat& xstat : kWavelengthXstats) {
      port.at_reset.*xstat.value -= gone.*xstat.value;
      of_wavelength.*xstat.value -= gone.*xstat.value;
    }
  }
}

void keep_counters(Port& port, const TxQueue& queue) {
  port.at_reset.tx_frames -= queue.frames.get();
  port.at_reset.tx_bytes -= queue.bytes.get();
  port.at_reset.tx_errors -= queue.errors.get();
  port.at_reset.line_rate_held_back -= queue.held_back.get();
}

int stats_get(rte_eth_dev* dev, rte_eth_stats* stats) {
  const Port& port = port_of(dev);
  const Totals now = port_totals(port);
  const Totals& then = port.at_reset;
  stats->ipackets = now.rx_frames - then.rx_frames;
  stats->ibytes = now.rx_bytes - then.rx_bytes;
  stats->imissed = now.missed - then.missed;
  stats->rx_nombuf = now.no_mbuf - then.no_mbuf;
  stats->opackets = now.tx_frames - then.tx_frames;
  stats->obytes = now.tx_bytes - then.tx_bytes;
  stats->oerrors = now.tx_errors - then.tx_errors;
  return 0;
}

// DPDK resets basic and extended statistics separately; here both are one set of counters, and a
// reset of either starts all of them anew, so that the accounting identity keeps holding.
int stats_reset(rte_eth_dev* dev) { return reset_all(dev); }

int xstats_get_names(rte_eth_dev* dev, rte_eth_xstat_name* names, unsigned int size) {
  const Port& port = port_of(dev);
  const unsigned int count = xstat_count(port);
  if (names == nullptr || size < count) return static_cast<int>(count);
  for (const PortXstat& xstat : kPortXstats) {
    std::snprintf(names++->name, RTE_ETH_XSTATS_NAME_SIZE, "%s", xstat.name);
  }
  for (const uint32_t wavelength : port.selected) {
    for (const PortXstat& xstat : kWavelengthXstats) {
      std::snprintf(names++->name, RTE_ETH_XSTATS_NAME_SIZE, "wl%u_%s", wavelength, xstat.name);
    }
  }
  return static_cast<int>(count);
}

int xstats_get(rte_eth_dev* dev, rte_eth_xstat* values, unsigned int size) {
  const Port& port = port_of(dev);
  const unsigned int count = xstat_count(port);
  if (values == nullptr || size < count) return static_cast<int>(count);
  uint64_t id = 0;
  const auto put = [&](const Totals& now, const Totals& then, const PortXstat& xstat) {
    values[id] = {id, now.*xstat.value - then.*xstat.value};
    ++id;
  };
  const Totals now = port_totals(port);
  for (const PortXstat& xstat : kPortXstats) put(now, port.at_reset, xstat);
  for (std::size_t i = 0; i < port.selected.size(); ++i) {
    const Totals wavelength = wavelength_totals(port, port.selected[i]);
    for (const PortXstat& xstat : kWavelengthXstats) {
      put(wavelength, port.wavelength_at_reset[i], xstat);
    }
  }
  return static_cast<int>(count);
}

}  // namespace lambdacast::odbss
