// SPDX-License-Identifier: BSD-3-Clause
// How an endpoint is attached: the port it transmits on, the queues it receives from, and the
// addresses it hears. On the embedded fabric that is one net_odbss port; on a real network any
// driver's, and further ports to receive on where a demultiplexer gives one wavelength to each; or
// a net_verbs port on a device that the kernel keeps.
#pragma once

#include <rte_mempool.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "dpdk/port.h"
#include "dpdk/receive_queues.h"

namespace lambdacast::dpdk {

class Attachment {
 public:
  // Opens all ports, or none. `fabric`: of config.fabric. `pool` outlives the attachment.
  [[nodiscard]] static base::Result<Attachment> open(const config::Endpoint& endpoint,
                                                     const std::optional<config::Fabric>& fabric,
                                                     rte_mempool* pool);

  [[nodiscard]] base::Result<void> start();
  void stop();

  // The one it transmits on.
  [[nodiscard]] Port& port() { return *port_; }
  [[nodiscard]] const Port& port() const { return *port_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Port>>& rx_ports() const { return rx_ports_; }
  [[nodiscard]] const std::vector<RxQueue>& rx_queues() const { return rx_queues_; }
  // The widest of all ports received on.
  [[nodiscard]] MulticastFilter multicast_filter() const { return multicast_filter_; }
  [[nodiscard]] bool is_embedded_fabric() const { return port_->is_embedded_fabric(); }
  // On a verbs device the kernel finds peers, joins groups and makes ICRCs.
  [[nodiscard]] bool is_verbs() const { return port_->is_verbs(); }

  // Counts transmissions on port(), and receptions on all ports that are polled.
  [[nodiscard]] PortStatistics statistics() const;

 private:
  Attachment() = default;
  [[nodiscard]] base::Result<void> open_rx_ports(const config::Endpoint& endpoint,
                                                 const PortConfig& like, rte_mempool* pool);
  [[nodiscard]] base::Result<void> set_addresses(const config::Endpoint& endpoint);

  std::unique_ptr<Port> port_;
  std::vector<std::unique_ptr<Port>> rx_ports_;  // beside port_
  std::vector<RxQueue> rx_queues_;               // polled
  bool receives_on_port_ = true;
  MulticastFilter multicast_filter_ = MulticastFilter::kMacList;
};

}  // namespace lambdacast::dpdk
