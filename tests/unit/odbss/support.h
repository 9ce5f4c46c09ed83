// SPDX-License-Identifier: BSD-3-Clause
// What the tests of net_odbss share: started ports on fabrics of their own, frames, the log.
#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace lambdacast::odbss::test {

struct Frame : std::vector<uint8_t> {
  using vector::vector;
};
void PrintTo(const Frame& frame, std::ostream* out);  // its length and first bytes

inline constexpr rte_ether_addr kBroadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
inline constexpr rte_ether_addr kGroup = {{0x01, 0x00, 0x5e, 0x01, 0x02, 0x03}};

// A name that no other test and no other process uses.
[[nodiscard]] std::string fresh_fabric();

// The control file of a fabric and every place its data can lie, as far as they exist.
[[nodiscard]] std::vector<std::string> files_of(const std::string& fabric);

// What has been logged since the last call.
void open_log();
[[nodiscard]] std::string logged();

class Pool {
 public:
  explicit Pool(uint32_t mbufs = 1023, uint16_t data_room = RTE_MBUF_DEFAULT_BUF_SIZE);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  [[nodiscard]] rte_mempool* get() const { return pool_; }
  [[nodiscard]] uint32_t available() const { return rte_mempool_avail_count(pool_); }

 private:
  rte_mempool* pool_;
};

// Probes and fails: what was logged. "": it did not fail.
[[nodiscard]] std::string probe_error(const std::string& devargs);

struct PortOptions {
  uint16_t mtu = 1500;
  uint64_t rx_offloads = 0;
  uint64_t tx_offloads = 0;
  uint16_t rx_queues = 1;
  bool promiscuous = true;
};

// A port; started unless the constructor's third argument says otherwise. Closed at the end.
class Port {
 public:
  Port(const std::string& devargs, const Pool& pool, const PortOptions& options = {});
  explicit Port(const std::string& devargs);  // probed only
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // The first error of configure, queue set-up and start; 0: it runs.
  int start(const Pool& pool, const PortOptions& options = {});

  [[nodiscard]] uint16_t id() const { return id_; }
  [[nodiscard]] rte_ether_addr mac() const;

  // Sends frames of one segment each, as many as `pool` has packets for.
  uint16_t send(const std::vector<Frame>& frames, const Pool& pool) const;
  // The same in one call; what is not taken is freed.
  uint16_t send_burst(const std::vector<Frame>& frames, const Pool& pool) const;
  // Everything that is there; checks the chains it was in.
  [[nodiscard]] std::vector<Frame> receive(uint16_t queue = 0, uint16_t burst = 32) const;

  [[nodiscard]] rte_eth_stats stats() const;
  [[nodiscard]] uint64_t xstat(const std::string& name) const;  // fails the test if unknown
  // The right side of the accounting identity.
  [[nodiscard]] uint64_t accounted() const;

 private:
  std::string name_;
  uint16_t id_ = RTE_MAX_ETHPORTS;
};

// `bytes` long, to that address, its content a function of `number`.
[[nodiscard]] Frame frame(uint32_t number, std::size_t bytes = 64,
                          const rte_ether_addr& to = kBroadcast);
[[nodiscard]] std::vector<Frame> frames(uint32_t first, uint32_t count, std::size_t bytes = 64);

}  // namespace lambdacast::odbss::test
