// SPDX-License-Identifier: BSD-3-Clause
// An ethdev port of an endpoint: attached by its device string, configured with one transmit queue
// and as a rule one receive queue, given the endpoint's addresses. Any driver will do; where one
// lacks an address list the port falls back MAC list -> all multicast -> promiscuous, and says so.
// On a verbs device (net_verbs) the port's queue pairs stand for the endpoint's: their numbers are
// the device's to choose, and they hear the groups that the device string names.
#pragma once

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/roce/gid.h"

namespace lambdacast::dpdk {

struct PortConfig {
  std::string device;  // "net_odbss_node0,fabric=rack,wavelength=C21", "0000:3b:00.0", ...
  uint16_t rx_descriptors = 1024;
  uint16_t tx_descriptors = 1024;
  uint16_t mtu = 1500;         // what follows the Ethernet header
  bool all_rx_queues = false;  // as many receive queues as the device has; else one
};

enum class MulticastFilter : uint8_t { kQueuePairs, kMacList, kAllMulticast, kPromiscuous };
[[nodiscard]] const char* name(MulticastFilter filter);

// Port counters under one name each: those of rte_eth_stats and the driver's extended ones.
struct PortStatistics {
  uint64_t rx_packets = 0, rx_bytes = 0, missed = 0, no_mbuf = 0, rx_errors = 0;
  uint64_t tx_packets = 0, tx_bytes = 0, tx_errors = 0;
  std::map<std::string, uint64_t> extended;

  [[nodiscard]] uint64_t extended_or_zero(const std::string& key) const;
};

class Port {
 public:
  // Errors: one sentence, the driver's own where it gave one. `pool` outlives the port.
  [[nodiscard]] static base::Result<std::unique_ptr<Port>> open(const PortConfig& config,
                                                                rte_mempool* pool);
  ~Port();  // stops, closes and detaches
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  [[nodiscard]] base::Result<void> start();
  void stop();

  // Frames to these groups shall come in. Before start() or after.
  [[nodiscard]] base::Result<MulticastFilter> receive_multicast(
      const std::vector<wire::MacAddress>& groups);
  // Frames to a unicast address that is another port's shall come in too.
  [[nodiscard]] base::Result<void> receive_unicast(const wire::MacAddress& mac);
  [[nodiscard]] base::Result<void> set_mac(const wire::MacAddress& mac);

  [[nodiscard]] uint16_t id() const { return id_; }
  [[nodiscard]] uint16_t rx_queues() const { return rx_queues_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& driver() const { return driver_; }
  [[nodiscard]] wire::MacAddress mac() const;
  // The state of the kernel's interface if the port is one, else what ethdev says.
  [[nodiscard]] bool link_up() const;
  // The index of the kernel's interface that the port is, or 0 if it is none.
  [[nodiscard]] uint32_t interface_index() const { return interface_index_; }
  [[nodiscard]] const std::string& interface_name() const { return interface_name_; }
  // Any thread. Events of ethdev about the link, where the driver has them, and about the device's
  // removal; and changes of its link as a LinkWatch saw them.
  [[nodiscard]] uint32_t link_events() const { return link_events_.load(); }
  [[nodiscard]] bool removed() const { return removed_.load(); }
  [[nodiscard]] uint64_t link_changes() const { return link_changes_.load(); }
  void note_link_change() { ++link_changes_; }
  [[nodiscard]] PortStatistics statistics() const;
  [[nodiscard]] bool is_embedded_fabric() const { return driver_ == "net_odbss"; }
  [[nodiscard]] bool is_verbs() const { return driver_ == "net_verbs"; }
  // The number of a queue pair of a verbs device, in the order of its groups; 0: it has none.
  [[nodiscard]] uint32_t queue_pair(uint32_t index) const;
  // The flag for ol_flags of frames that are sent and stay the sender's (fabric/keep_flag.h). It is
  // 0 if the driver knows no such flag.
  [[nodiscard]] uint64_t keep_flag() const;

 private:
  Port() = default;
  [[nodiscard]] base::Result<void> attach(const std::string& device);
  [[nodiscard]] base::Result<void> check_mtu(const PortConfig& config,
                                             const rte_eth_dev_info& info) const;
  [[nodiscard]] base::Result<void> configure(const PortConfig& config, rte_mempool* pool);

  void listen(bool on);
  static int heard(uint16_t port, rte_eth_event_type event, void* self, void*);

  uint16_t id_ = 0;
  uint16_t rx_queues_ = 1;
  std::string name_;
  std::string driver_;
  bool attached_here_ = false;  // else the port was there before, by EAL's options
  bool started_ = false;
  uint32_t interface_index_ = 0;
  std::string interface_name_;
  std::atomic<uint32_t> link_events_ = 0;
  std::atomic<bool> removed_ = false;
  std::atomic<uint64_t> link_changes_ = 0;
};

}  // namespace lambdacast::dpdk
