// The vdev driver: probing and the ethdev operations of a net_odbss port. The data path is in
// odbss_rx.cc and odbss_tx.cc, the counters in odbss_stats.cc.
#include "odbss_port.h"

#include <cerrno>
#include <cstring>
#include <new>

#include <ethdev_vdev.h>

#include "base/random.h"
#include "wdm/channel.h"

namespace lambdacast::odbss {

RTE_LOG_REGISTER_SUFFIX(log_type, odbss, NOTICE);

namespace {

// A fabric has no line rate unless one is given to it.
const rte_eth_link kLinkDown = {.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN,
                                .link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
                                .link_autoneg = RTE_ETH_LINK_FIXED,
                                .link_status = RTE_ETH_LINK_DOWN};

std::string wavelength_name(uint32_t index) {
  const auto channel = wdm::channel_from_index(index);
  return channel ? wdm::channel_name(*channel) : std::to_string(index);
}

// 02: locally administered; 4f:44 "OD"; then a hash of the fabric and the wavelength.
rte_ether_addr default_mac(const Devargs& devargs) {
  uint64_t hash = 0;
  for (unsigned char c : devargs.fabric) hash = base::mix64(hash ^ c);
  // Receive-only ports have no wavelength to be told apart by: any difference will do.
  static uint32_t receive_only = 0;
  const uint32_t last = devargs.wavelength ? *devargs.wavelength : 0x80 | ++receive_only;
  return {{0x02, 0x4f, 0x44, static_cast<uint8_t>(hash >> 8), static_cast<uint8_t>(hash),
           static_cast<uint8_t>(last)}};
}

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
  rte_pktmbuf_free(std::exchange(queue.duplicate, nullptr));
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
  }
  for (Listener& listener : queue.listeners) {
    listener.receiver = port.fabric->listen(listener.wavelength);
    listener.faults = fabric::FaultInjector(port.devargs.faults, listener.wavelength);
    listener.lit = false;
  }
  queue.lit.clear();
  queue.lit_generation = ~uint64_t{0};  // look at once
}

int dev_start(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  for (const auto& queue : port.rx_queues) {
    if (const int error = check_room(dev, *queue, dev->data->mtu)) return error;
  }
  for (uint16_t i = 0; i < port.rx_queues.size(); ++i) start_queue(dev, port, i);
  dev->rx_pkt_burst = scatters(dev) ? rx_burst_scattered : rx_burst;
  dev->tx_pkt_burst = tx_burst;
  for (uint16_t i = 0; i < dev->data->nb_rx_queues; ++i) {
    dev->data->rx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
  }
  for (uint16_t i = 0; i < dev->data->nb_tx_queues; ++i) {
    dev->data->tx_queue_state[i] = RTE_ETH_QUEUE_STATE_STARTED;
  }
  dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
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

int dev_close(rte_eth_dev* dev) {
  if (dev->data->dev_private == nullptr) return 0;
  dev_stop(dev);
  delete &port_of(dev);  // leaves the fabric
  dev->data->dev_private = nullptr;
  return 0;
}

int dev_infos_get(rte_eth_dev* dev, rte_eth_dev_info* info) {
  const Port& port = port_of(dev);
  const fabric::Geometry& geometry = port.fabric->geometry();
  info->max_mac_addrs = AddressFilter::kUnicastEntries;
  info->min_rx_bufsize = fabric::kCopyBlockBytes;  // copies move so much at least
  info->min_mtu = RTE_ETHER_MIN_MTU;
  info->max_mtu = max_mtu(port);
  info->max_rx_pktlen = geometry.frame_bytes;
  info->max_rx_queues =
      port.devargs.queue_per_wavelength && !port.selected.empty()
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

int rx_queue_setup(rte_eth_dev* dev, uint16_t index, uint16_t, unsigned int,
                   const rte_eth_rxconf*, rte_mempool* pool) {
  Port& port = port_of(dev);
  auto queue = std::make_unique<RxQueue>();
  queue->fabric = port.fabric.get();
  queue->filter = &port.filter;
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

void rx_queue_release(rte_eth_dev* dev, uint16_t index) {
  remove_rx_queue(port_of(dev), index);
}

void tx_queue_release(rte_eth_dev* dev, uint16_t) {
  Port& port = port_of(dev);
  if (port.tx_queue != nullptr) keep_counters(port, *port.tx_queue);
  port.tx_queue.reset();
}

int tx_queue_setup(rte_eth_dev* dev, uint16_t index, uint16_t, unsigned int,
                   const rte_eth_txconf* conf) {
  Port& port = port_of(dev);
  tx_queue_release(dev, index);
  const uint64_t offloads = conf->offloads | dev->data->dev_conf.txmode.offloads;
  port.tx_queue = std::make_unique<TxQueue>();
  port.tx_queue->transmitter = port.devargs.wavelength ? &port.transmitter : nullptr;
  port.tx_queue->fast_free = (offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
  dev->data->tx_queues[index] = port.tx_queue.get();
  return 0;
}

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

base::Result<std::unique_ptr<Port>> open_port(const char* text) {
  auto devargs = parse_devargs(text);
  if (!devargs) return tl::unexpected(devargs.error());
  auto port = std::make_unique<Port>();
  port->devargs = *devargs;
  auto attached = fabric::Fabric::attach(devargs->fabric, devargs->attach);
  if (!attached) return tl::unexpected(attached.error());
  port->fabric = std::move(*attached);
  const fabric::Geometry& geometry = port->fabric->geometry();
  constexpr uint32_t kShortest = RTE_ETHER_MIN_MTU + kFrameOverheadBytes;
  if (geometry.frame_bytes < kShortest) {
    return base::fail("frame_bytes=" + std::to_string(geometry.frame_bytes) +
                      " is too small for an Ethernet port; allowed: " +
                      std::to_string(kShortest) + " or more");
  }

  if (devargs->wavelength) {
    auto transmitter = port->fabric->claim(*devargs->wavelength);
    if (!transmitter) {
      return base::fail("wavelength=" + wavelength_name(*devargs->wavelength) + ": " +
                        transmitter.error().message);
    }
    port->transmitter = *transmitter;
  }
  port->selected = devargs->select;
  if (port->selected.empty()) {
    for (uint32_t w = 0; w < geometry.wavelengths; ++w) port->selected.push_back(w);
  }
  for (const uint32_t w : port->selected) {
    if (w < geometry.wavelengths) continue;
    return base::fail("select=" + wavelength_name(w) + " is not on fabric " + devargs->fabric +
                      ", which has wavelengths " + wavelength_name(0) + " to " +
                      wavelength_name(geometry.wavelengths - 1));
  }
  if (!devargs->loopback && devargs->wavelength) {
    std::erase(port->selected, *devargs->wavelength);
  }
  port->wavelength_at_reset.resize(port->selected.size());
  port->mac = devargs->mac.value_or(default_mac(*devargs));
  port->filter.set_unicast(0, port->mac);
  return port;
}

int probe(rte_vdev_device* vdev) {
  const char* name = rte_vdev_device_name(vdev);
  if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
    ODBSS_LOG(ERR, "%s: a secondary process cannot use this port; attach to the fabric as a "
                   "primary process with a wavelength of its own", name);
    return -ENOTSUP;
  }
  const char* text = rte_vdev_device_args(vdev);
  auto port = open_port(text == nullptr ? "" : text);
  if (!port) {
    ODBSS_LOG(ERR, "%s: %s", name, port.error().message.c_str());
    return -EINVAL;
  }
  rte_eth_dev* dev = rte_eth_vdev_allocate(vdev, 0);
  if (dev == nullptr) return -ENOMEM;
  const fabric::Fabric& fabric = *(*port)->fabric;
  ODBSS_LOG(INFO, "%s: fabric %s (%s) in %s, %s", name, fabric.name().c_str(),
            fabric.geometry().text().c_str(), fabric.data_path().c_str(),
            (*port)->devargs.wavelength
                ? ("transmits on " + wavelength_name(*(*port)->devargs.wavelength)).c_str()
                : "receives only");
  dev->data->dev_private = port->release();
  // MAC addresses beyond the first are kept by ethdev in this array: it wants room for all.
  dev->data->mac_addrs = static_cast<rte_ether_addr*>(
      rte_zmalloc(name, sizeof(rte_ether_addr) * AddressFilter::kUnicastEntries, 0));
  if (dev->data->mac_addrs == nullptr) {
    dev_close(dev);
    rte_eth_dev_release_port(dev);
    return -ENOMEM;
  }
  dev->data->mac_addrs[0] = port_of(dev).mac;
  dev->data->dev_link = kLinkDown;
  dev->dev_ops = &kOps;
  dev->rx_pkt_burst = rx_burst;
  dev->tx_pkt_burst = tx_burst;
  rte_eth_dev_probing_finish(dev);
  return 0;
}

int remove(rte_vdev_device* vdev) {
  rte_eth_dev* dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));
  if (dev == nullptr) return 0;
  dev_close(dev);
  return rte_eth_dev_release_port(dev);
}

}  // namespace
}  // namespace lambdacast::odbss

// Constant-initialised: it is registered before C++ initialisers run.
static rte_vdev_driver net_odbss_driver = {.probe = lambdacast::odbss::probe,
                                           .remove = lambdacast::odbss::remove};
RTE_PMD_REGISTER_VDEV(net_odbss, net_odbss_driver);
RTE_PMD_REGISTER_PARAM_STRING(net_odbss, ODBSS_DEVARGS_HELP);
