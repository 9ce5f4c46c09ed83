// SPDX-License-Identifier: BSD-3-Clause
// The ethdev operations of a net_odbss port. The data path is in odbss_rx.cc and odbss_tx.cc, the
// counters in odbss_stats.cc.
#include <rte_mbuf_dyn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/random.h"
#include "fabric/keep_flag.h"
#include "odbss_port.h"
#include "wdm/channel.h"

namespace lambdacast::odbss {

namespace {

uint32_t frame_bytes_for(uint16_t mtu) { return mtu + kFrameOverheadBytes; }

uint16_t max_mtu(const Port& port) {
  return static_cast<uint16_t>(port.fabric->geometry().frame_bytes - kFrameOverheadBytes);
}

bool scatters(const rte_eth_dev* dev) {
  return (dev->data->dev_conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
}

// Does a frame of this MTU fit the queue's mbufs? Says what would do if not.
int check_room(const rte_eth_dev* dev, const RxQueue& queue, uint16_t mtu) {
  const uint32_t needed = frame_bytes_for(mtu);
  if (queue.mbuf_room_bytes >= needed || scatters(dev)) return 0;
  ODBSS_LOG(ERR,
            "%s: MTU %u needs mbufs with a data room of %u bytes, the pool \"%s\" has %u; "
            "use larger mbufs, a smaller MTU or the scatter offload",
            dev->data->name, mtu, needed + RTE_PKTMBUF_HEADROOM, queue.pool->name,
            queue.mbuf_room_bytes + RTE_PKTMBUF_HEADROOM);
  return -EINVAL;
}

void drop_stash(RxQueue& queue) {
  if (queue.stashed != 0) {
    rte_mempool_put_bulk(queue.pool, reinterpret_cast<void**>(queue.stash), queue.stashed);
    queue.stashed = 0;
  }
  free_held(queue.impairments.held);
}

void remove_rx_queue(Port& port, uint16_t index) {
  if (index >= port.rx_queues.size() || port.rx_queues[index] == nullptr) return;
  drop_stash(*port.rx_queues[index]);
  keep_counters(port, *port.rx_queues[index]);
  port.rx_queues[index].reset();
}

int dev_configure(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  for (uint16_t i = 0; i < port.rx_queues.size(); ++i) remove_rx_queue(port, i);
  port.rx_queues.resize(dev->data->nb_rx_queues);
  return 0;
}

// Spreads the selected wavelengths over the queues and listens from the present heads on.
void start_queue(const rte_eth_dev* dev, Port& port, uint16_t index) {
  RxQueue& queue = *port.rx_queues[index];
  queue.max_frame_bytes = frame_bytes_for(dev->data->mtu);
  const bool first_start = queue.listeners.empty();
  if (first_start) {
    const std::size_t queues = port.rx_queues.size();
    queue.listeners = std::vector<Listener>((port.selected.size() + queues - 1 - index) / queues);
    for (std::size_t i = 0; i < queue.listeners.size(); ++i) {
      queue.listeners[i].wavelength = port.selected[i * queues + index];
    }
    queue.lit.reserve(queue.listeners.size());
    queue.impairments.arriving.reserve(queue.listeners.size());
    queue.share = static_cast<uint32_t>(queues);
  }
  for (Listener& listener : queue.listeners) {
    listener.receiver = port.fabric->listen(listener.wavelength);
    listener.last_arrival = 0;
    listener.lit = false;
  }
  queue.lit.clear();
  // Look at both at once.
  queue.lit_generation = ~uint64_t{0};
  queue.faults_version = ~uint64_t{0};
}

int dev_start(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  for (const auto& queue : port.rx_queues) {
    if (const int error = check_room(dev, *queue, dev->data->mtu)) return error;
  }
  for (uint16_t i = 0; i < port.rx_queues.size(); ++i) start_queue(dev, port, i);
  dev->rx_pkt_burst = scatters(dev) ? rx_burst_scattered : rx_burst;
  dev->tx_pkt_burst = tx_burst;
  dev->rx_queue_count = rx_queue_count;
  for (uint16_t i = 0; i < dev->data->nb_rx_queues; ++i) {
    dev->data->rx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
  }
  for (uint16_t i = 0; i < dev->data->nb_tx_queues; ++i) {
    dev->data->tx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
  }
  dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
  show_line_rate(dev);
  return 0;
}

int dev_stop(rte_eth_dev* dev) {
  dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
  for (const auto& queue : port_of(dev).rx_queues) {
    if (queue != nullptr) drop_stash(*queue);
  }
  for (uint16_t i = 0; i < dev->data->nb_rx_queues; ++i) {
    dev->data->rx_queue_state[i] = RTE_ETH_QUEUE_STATE_STOPPED;
  }
  for (uint16_t i = 0; i < dev->data->nb_tx_queues; ++i) {
    dev->data->tx_queue_state[i] = RTE_ETH_QUEUE_STATE_STOPPED;
  }
  return 0;
}

}  // namespace

int dev_close(rte_eth_dev* dev) {
  if (dev->data->dev_private == nullptr) return 0;
  dev_stop(dev);
  delete &port_of(dev);  // leaves the fabric
  dev->data->dev_private = nullptr;
  return 0;
}

namespace {

int dev_infos_get(rte_eth_dev* dev, rte_eth_dev_info* info) {
  const Port& port = port_of(dev);
  const fabric::Geometry& geometry = port.fabric->geometry();
  info->max_mac_addrs = AddressFilter::kUnicastEntries;
  info->min_rx_bufsize = fabric::kCopyBlockBytes;  // copies move so much at least
  info->min_mtu = RTE_ETHER_MIN_MTU;
  info->max_mtu = max_mtu(port);
  info->max_rx_pktlen = geometry.frame_bytes;
  info->max_rx_queues = port.devargs.queue_per_wavelength && !port.selected.empty()
                            ? static_cast<uint16_t>(port.selected.size())
                            : 1;
  info->max_tx_queues = 1;
  info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER;
  info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
  info->tx_queue_offload_capa = 0;
  info->default_rxportconf = {.burst_size = 32, .ring_size = 1024, .nb_queues = 1};
  info->default_txportconf = {.burst_size = 32, .ring_size = 1024, .nb_queues = 1};
  return 0;
}

int link_update(rte_eth_dev*, int) { return 0; }

int promiscuous_enable(rte_eth_dev* dev) {
  port_of(dev).filter.set_promiscuous(true);
  return 0;
}
int promiscuous_disable(rte_eth_dev* dev) {
  port_of(dev).filter.set_promiscuous(false);
  return 0;
}
int allmulticast_enable(rte_eth_dev* dev) {
  port_of(dev).filter.set_all_multicast(true);
  return 0;
}
int allmulticast_disable(rte_eth_dev* dev) {
  port_of(dev).filter.set_all_multicast(false);
  return 0;
}

int mac_addr_add(rte_eth_dev* dev, rte_ether_addr* address, uint32_t index, uint32_t) {
  port_of(dev).filter.set_unicast(index, *address);
  return 0;
}
void mac_addr_remove(rte_eth_dev* dev, uint32_t index) {
  port_of(dev).filter.set_unicast(index, rte_ether_addr{});
}
int mac_addr_set(rte_eth_dev* dev, rte_ether_addr* address) {
  port_of(dev).filter.set_unicast(0, *address);
  return 0;
}

int set_mc_addr_list(rte_eth_dev* dev, rte_ether_addr* addresses, uint32_t count) {
  if (count > AddressFilter::kMulticastEntries) {
    ODBSS_LOG(ERR, "%s: %u multicast addresses asked for, at most %u; use allmulticast",
              dev->data->name, count, AddressFilter::kMulticastEntries);
    return -ENOSPC;
  }
  port_of(dev).filter.set_multicast(addresses, count);
  return 0;
}

int mtu_set(rte_eth_dev* dev, uint16_t mtu) {
  Port& port = port_of(dev);
  for (const auto& queue : port.rx_queues) {
    if (queue == nullptr) continue;
    if (const int error = check_room(dev, *queue, mtu)) return error;
    queue->max_frame_bytes = frame_bytes_for(mtu);
  }
  return 0;
}

int rx_queue_setup(rte_eth_dev* dev, uint16_t index, uint16_t, unsigned int, const rte_eth_rxconf*,
                   rte_mempool* pool) {
  Port& port = port_of(dev);
  auto queue = std::make_unique<RxQueue>();
  queue->fabric = port.fabric.get();
  queue->filter = &port.filter;
  queue->faults = &port.faults;
  queue->pool = pool;
  queue->mbuf_room_bytes = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
  if (const int error = check_room(dev, *queue, dev->data->mtu)) return error;

  rte_mbuf model{};
  model.data_off = RTE_PKTMBUF_HEADROOM;
  rte_mbuf_refcnt_set(&model, 1);
  model.nb_segs = 1;
  model.port = dev->data->port_id;
  std::memcpy(&queue->rearm, model.rearm_data, sizeof queue->rearm);

  port.rx_queues[index] = std::move(queue);
  dev->data->rx_queues[index] = port.rx_queues[index].get();
  return 0;
}

void rx_queue_release(rte_eth_dev* dev, uint16_t index) { remove_rx_queue(port_of(dev), index); }

void tx_queue_release(rte_eth_dev* dev, uint16_t) {
  Port& port = port_of(dev);
  if (port.tx_queue != nullptr) keep_counters(port, *port.tx_queue);
  port.tx_queue.reset();
}

// The same bit for all ports of a process.
uint64_t register_keep_flag() {
  rte_mbuf_dynflag flag{};
  static_assert(sizeof fabric::kKeepFlagName <= sizeof flag.name);
  std::copy(std::begin(fabric::kKeepFlagName), std::end(fabric::kKeepFlagName), flag.name);
  const int bit = rte_mbuf_dynflag_register(&flag);
  return bit < 0 ? 0 : uint64_t{1} << bit;
}

int tx_queue_setup(rte_eth_dev* dev, uint16_t index, uint16_t, unsigned int,
                   const rte_eth_txconf* conf) {
  Port& port = port_of(dev);
  tx_queue_release(dev, index);
  const uint64_t offloads = conf->offloads | dev->data->dev_conf.txmode.offloads;
  port.tx_queue = std::make_unique<TxQueue>();
  port.tx_queue->transmitter = port.wavelength ? &port.transmitter : nullptr;
  port.tx_queue->line_rate_bps = port.line_rate_bps;
  port.tx_queue->fast_free = (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
  port.tx_queue->keep_flag = register_keep_flag();
  dev->data->tx_queues[index] = port.tx_queue.get();
  return 0;
}

}  // namespace

const eth_dev_ops kOps = {
    .dev_configure = dev_configure,
    .dev_start = dev_start,
    .dev_stop = dev_stop,
    .dev_close = dev_close,
    .link_update = link_update,
    .promiscuous_enable = promiscuous_enable,
    .promiscuous_disable = promiscuous_disable,
    .allmulticast_enable = allmulticast_enable,
    .allmulticast_disable = allmulticast_disable,
    .mac_addr_remove = mac_addr_remove,
    .mac_addr_add = mac_addr_add,
    .mac_addr_set = mac_addr_set,
    .set_mc_addr_list = set_mc_addr_list,
    .mtu_set = mtu_set,
    .stats_get = stats_get,
    .stats_reset = stats_reset,
    .xstats_get = xstats_get,
    .xstats_reset = stats_reset,
    .xstats_get_names = xstats_get_names,
    .dev_infos_get = dev_infos_get,
    .rx_queue_setup = rx_queue_setup,
    .rx_queue_release = rx_queue_release,
    .tx_queue_setup = tx_queue_setup,
    .tx_queue_release = tx_queue_release,
};

}  // namespace lambdacast::odbss
