// SPDX-License-Identifier: BSD-3-Clause
// The ethdev operations of a net_verbs port. The data path is in verbs_rx.cc and verbs_tx.cc, the
// counters in verbs_statistics.cc.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "verbs_port.h"

namespace lambdacast::net_verbs {

namespace {

// What stands around a message in a frame, as MTUs count: behind the Ethernet header, with the
// immediate.
constexpr uint32_t kAroundMessage = kMaxFrontBytes - RTE_ETHER_HDR_LEN + wire::kIcrcBytes;
constexpr uint8_t kHopLimit = 64;  // of our own frames (wire::FrameFields)

int refused(const rte_eth_dev* dev, const std::string& why) {
  VERBS_LOG(ERR, "%s: %s", dev->data->name, why.c_str());
  return -EINVAL;
}

void release(Port& port) {
  port.keeper.reset();
  port.handles.reset();
  port.queue_pairs.clear();
  port.send_completions.reset();
  port.receive_completions.reset();
  port.memory.reset();
}

int dev_configure(rte_eth_dev*) { return 0; }

base::Result<CompletionQueue> completion_queue(const Device& device, uint32_t entries) {
  CompletionQueue queue(
      ::ibv_create_cq(device.context(), static_cast<int>(entries), nullptr, nullptr, 0));
  if (queue != nullptr) return queue;
  return base::fail("the device gives no completion queue of " + std::to_string(entries) +
                    " entries: " + std::strerror(errno) + "; lower the descriptors");
}

// Queue pairs, once both queues are known: their numbers are to be had from then on.
base::Result<void> make_queue_pairs(Port& port) {
  const Device& device = *port.device;
  const auto pairs = static_cast<uint32_t>(std::max<size_t>(port.devargs.groups.size(), 1));
  port.memory = std::make_unique<Memory>(device.pd());
  for (rte_mempool* pool : {port.rx_queue->pool, port.tx_queue->copies}) {
    if (auto added = port.memory->add(pool); !added) return added;
  }
  auto send = completion_queue(device, pairs * port.tx_queue->descriptors);
  if (!send) return tl::unexpected(send.error());
  port.send_completions = std::move(*send);
  auto receive = completion_queue(device, pairs * port.rx_queue->descriptors);
  if (!receive) return tl::unexpected(receive.error());
  port.receive_completions = std::move(*receive);
  for (uint32_t i = 0; i < pairs; ++i) {
    QueuePairConfig config{port.tx_queue->descriptors, port.rx_queue->descriptors,
                           port.devargs.qkey, std::nullopt};
    if (i < port.devargs.groups.size()) config.group = port.devargs.groups[i];
    auto pair = QueuePair::create(device, port.send_completions.get(),
                                  port.receive_completions.get(), config);
    if (!pair) return tl::unexpected(pair.error());
    port.queue_pairs.push_back(std::move(*pair));
  }
  port.handles = std::make_unique<AddressHandles>(device);
  for (const wire::Gid& group : port.devargs.groups) {
    (void)port.handles->find({group, 0, kHopLimit});  // wanted from the start
  }
  port.counters.address_handles.add(port.handles->make().made);
  port.keeper = std::make_unique<Keeper>(port);
  return {};
}

int queues_known(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  if (port.rx_queue == nullptr || port.tx_queue == nullptr) return 0;
  release(port);
  if (auto made = make_queue_pairs(port); !made) {
    release(port);
    return refused(dev, made.error().message);
  }
  return 0;
}

base::Result<void> start_all(Port& port) {
  for (const auto& pair : port.queue_pairs) {
    if (auto started = pair->start(); !started) return started;
    pair->mark_mended();
    if (!post_receives(*port.rx_queue, *pair)) return base::fail("the device takes no receives");
  }
  return port.keeper->start();
}

void set_states(rte_eth_dev* dev, uint8_t state) {
  dev->data->rx_queue_state[0] = state;
  dev->data->tx_queue_state[0] = state;
}

int dev_stop(rte_eth_dev* dev) {
  Port& port = port_of(dev);
  dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
  if (port.keeper != nullptr) port.keeper->stop();
  for (const auto& pair : port.queue_pairs) {
    if (auto done = pair->reset(); !done) VERBS_LOG(WARNING, "%s", done.error().message.c_str());
  }
  // Completions of requests from before are discarded.
  ibv_wc completion;
  for (ibv_cq* queue : {port.send_completions.get(), port.receive_completions.get()}) {
    while (queue != nullptr && ibv_poll_cq(queue, 1, &completion) > 0) continue;
  }
  set_states(dev, RTE_ETH_QUEUE_STATE_STOPPED);
  return 0;
}

int link_update(rte_eth_dev* dev, int) {
  const Device& device = *port_of(dev).device;
  rte_eth_link link{};
  link.link_duplex = RTE_ETH_LINK_FULL_DUPLEX;
  link.link_autoneg = RTE_ETH_LINK_AUTONEG;
  const uint32_t mbps = device.speed_mbps();
  link.link_speed = mbps == 0 ? uint32_t{RTE_ETH_SPEED_NUM_UNKNOWN} : mbps;
  const bool up = device.is_up() && dev->data->dev_started != 0;
  link.link_status = up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN;
  return rte_eth_linkstatus_set(dev, &link);
}

int dev_start(rte_eth_dev* dev) {
  if (auto started = start_all(port_of(dev)); !started) {
    dev_stop(dev);
    return refused(dev, started.error().message);
  }
  dev->rx_pkt_burst = rx_burst;
  dev->tx_pkt_burst = tx_burst;
  set_states(dev, RTE_ETH_QUEUE_STATE_STARTED);
  dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
  return 0;
}

}  // namespace

int dev_close(rte_eth_dev* dev) {
  if (dev->data->dev_private == nullptr) return 0;
  dev_stop(dev);
  Port& port = port_of(dev);
  release(port);
  if (port.tx_queue != nullptr) rte_mempool_free(port.tx_queue->copies);
  delete &port;
  dev->data->dev_private = nullptr;
  return 0;
}

namespace {

int dev_infos_get(rte_eth_dev* dev, rte_eth_dev_info* info) {
  const Device& device = *port_of(dev).device;
  const auto descriptors =
      static_cast<uint16_t>(std::min<uint32_t>(device.max_work_requests(), 16384));
  info->max_mac_addrs = 1;
  info->min_rx_bufsize = kMessageOffset;
  info->min_mtu = RTE_ETHER_MIN_MTU;
  info->max_mtu = static_cast<uint16_t>(device.path_mtu() + kAroundMessage);
  info->max_rx_pktlen = info->max_mtu + RTE_ETHER_HDR_LEN;
  info->max_rx_queues = info->max_tx_queues = 1;
  info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  info->rx_desc_lim = {.nb_max = descriptors, .nb_min = kChain, .nb_align = 1};
  info->tx_desc_lim = {.nb_max = descriptors, .nb_min = kChain, .nb_align = 1};
  info->default_rxportconf = {.burst_size = 32, .ring_size = 1024, .nb_queues = 1};
  info->default_txportconf = {.burst_size = 32, .ring_size = 1024, .nb_queues = 1};
  return 0;
}

// The device's own. Receives take messages of the port's path MTU in any case.
int mtu_set(rte_eth_dev*, uint16_t) { return 0; }

int rx_queue_setup(rte_eth_dev* dev, uint16_t, uint16_t descriptors, unsigned int,
                   const rte_eth_rxconf*, rte_mempool* pool) {
  Port& port = port_of(dev);
  // A datagram longer than its receive takes the queue pair out of service: all that the port's
  // MTU admits finds room, whatever this endpoint's own messages are.
  const uint32_t message = port.device->path_mtu();
  const uint32_t needed = kMessageOffset + message + kMaxTailBytes;
  if (const uint32_t room = rte_pktmbuf_data_room_size(pool); room < needed) {
    return refused(dev, "messages of " + std::to_string(message) +
                            " bytes need mbufs with a data room of " + std::to_string(needed) +
                            " bytes, the pool \"" + pool->name + "\" has " + std::to_string(room));
  }
  auto queue = std::make_unique<RxQueue>();
  queue->port = &port;
  queue->pool = pool;
  queue->descriptors = descriptors;
  queue->receive_bytes = static_cast<uint32_t>(kGrhBytes) + message;
  rte_mbuf model{};
  rte_mbuf_refcnt_set(&model, 1);
  model.nb_segs = 1;
  model.port = dev->data->port_id;
  std::memcpy(&queue->rearm, model.rearm_data, sizeof queue->rearm);
  release(port);
  port.at_reset = {};  // the counters of a queue begin with it
  port.rx_queue = std::move(queue);
  dev->data->rx_queues[0] = port.rx_queue.get();
  return queues_known(dev);
}

int tx_queue_setup(rte_eth_dev* dev, uint16_t, uint16_t descriptors, unsigned int socket,
                   const rte_eth_txconf*) {
  Port& port = port_of(dev);
  release(port);
  if (port.tx_queue != nullptr) rte_mempool_free(port.tx_queue->copies);
  port.at_reset = {};
  port.tx_queue = std::make_unique<TxQueue>();
  TxQueue& queue = *port.tx_queue;
  queue.port = &port;
  queue.descriptors = descriptors;
  const std::string name = "verbs_copies_" + std::to_string(dev->data->port_id);
  const auto room = static_cast<uint16_t>(RTE_PKTMBUF_HEADROOM + kMaxFrontBytes +
                                          port.device->path_mtu() + kMaxTailBytes);
  constexpr uint32_t kCopies = 4 * kChain - 1;
  queue.copies =
      rte_pktmbuf_pool_create(name.c_str(), kCopies, 0, 0, room, static_cast<int>(socket));
  if (queue.copies == nullptr) {
    port.tx_queue.reset();
    return refused(dev, std::string("no memory for copies of frames: ") + rte_strerror(rte_errno));
  }
  dev->data->tx_queues[0] = &queue;
  return queues_known(dev);
}

void rx_queue_release(rte_eth_dev* dev, uint16_t) {
  release(port_of(dev));
  port_of(dev).rx_queue.reset();
}

void tx_queue_release(rte_eth_dev* dev, uint16_t) {
  Port& port = port_of(dev);
  release(port);
  if (port.tx_queue != nullptr) rte_mempool_free(port.tx_queue->copies);
  port.tx_queue.reset();
}

}  // namespace

const eth_dev_ops kOps = {
    .dev_configure = dev_configure,
    .dev_start = dev_start,
    .dev_stop = dev_stop,
    .dev_close = dev_close,
    .link_update = link_update,
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
    .tx_done_cleanup = tx_done_cleanup,
};

}  // namespace lambdacast::net_verbs
