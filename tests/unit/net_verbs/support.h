// SPDX-License-Identifier: BSD-3-Clause
// What the tests of net_verbs share: ports on the device of drivers/verbs/preload, which this
// process has on a fabric of its own, and frames. All ports have the device's one address.
#pragma once

#include <gtest/gtest.h>
#include <rte_bus_vdev.h>
#include <rte_ethdev.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "verbs_port.h"
#include "wire/roce/build.h"

namespace lambdacast::net_verbs::test {

inline constexpr const char* kAddress = "10.77.0.1";
inline constexpr const char* kDataGroup = "239.1.1.1";
inline constexpr const char* kControlGroup = "239.1.1.2";
inline constexpr uint32_t kQkey = 0x11111111;
inline constexpr uint16_t kRoomBytes = RTE_PKTMBUF_HEADROOM + 4190;

[[nodiscard]] inline wire::Gid gid(const char* text) { return *wire::parse_gid(text); }

// Before anything asks for the device: it reads its settings once.
inline void choose_fabric() {
  const std::string name = "net-verbs-unit-" + std::to_string(::getpid());
  const std::pair<const char*, const char*> settings[] = {{"LAMBDACAST_FABRIC", name.c_str()},
                                                          {"LAMBDACAST_WAVELENGTHS", "2"},
                                                          {"LAMBDACAST_SLOTS", "64"},
                                                          {"LAMBDACAST_WAVELENGTH", "C21"},
                                                          {"LAMBDACAST_ADDRESS", kAddress},
                                                          {"LAMBDACAST_PACKET_RATE", "0"},
                                                          {"LAMBDACAST_RATE", "0"},
                                                          {"LAMBDACAST_PKEYS", "0xffff,0x8001"}};
  for (const auto& [key, value] : settings) ::setenv(key, value, 1);
}

// What has been logged since the last call.
void open_log();
[[nodiscard]] std::string logged();

// Until it holds or ten seconds have passed.
template <typename Condition>
[[nodiscard]] bool await(Condition&& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

class Pool {
 public:
  explicit Pool(uint32_t mbufs = 511, uint16_t room = kRoomBytes) {
    static int number = 0;
    const std::string name = "pool" + std::to_string(number++);
    pool_ = rte_pktmbuf_pool_create(name.c_str(), mbufs, 0, 0, room, SOCKET_ID_ANY);
    EXPECT_NE(pool_, nullptr);
  }
  ~Pool() {
    EXPECT_EQ(rte_mempool_in_use_count(pool_), 0u) << "mbufs were leaked";
    rte_mempool_free(pool_);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  [[nodiscard]] rte_mempool* get() const { return pool_; }

 private:
  rte_mempool* pool_;
};

using Frame = std::vector<uint8_t>;

// A port with a queue pair each for data and control; started.
class TestPort {
 public:
  static constexpr uint16_t kDescriptors = 64;
  // It hears itself, unless told otherwise.
  explicit TestPort(const Pool& pool, const std::string& more = ",loopback=1");
  ~TestPort();
  TestPort(const TestPort&) = delete;
  TestPort& operator=(const TestPort&) = delete;

  [[nodiscard]] uint16_t id() const { return id_; }
  [[nodiscard]] Port& port() const { return port_of(&rte_eth_devices[id_]); }
  [[nodiscard]] QueuePair& pair(size_t i) const { return *port().queue_pairs[i]; }
  [[nodiscard]] uint64_t xstat(const std::string& name) const;
  [[nodiscard]] rte_eth_stats stats() const;

  // A frame from one of its queue pairs to that one's group, or to `to`, with that message.
  [[nodiscard]] wire::FrameFields fields(size_t pair, const char* to = kDataGroup) const;
  // How many of the frames it took, in one burst; of what it does not take nothing is left.
  uint16_t send(const std::vector<Frame>& frames, const Pool& pool) const;
  // All that is there, until `count` have come.
  [[nodiscard]] std::vector<Frame> receive(size_t count) const;

 private:
  std::string name_;
  uint16_t id_ = RTE_MAX_ETHPORTS;
};

[[nodiscard]] Frame frame_of(const wire::FrameFields& fields, const std::vector<uint8_t>& message);
[[nodiscard]] std::vector<uint8_t> message(uint32_t number, size_t bytes);
// Its RoCE message; fails the test if it does not parse.
[[nodiscard]] std::vector<uint8_t> message_in(const Frame& frame);
// Probes and fails: what was logged. "": it did not fail.
[[nodiscard]] std::string probe_error(const std::string& devargs);

}  // namespace lambdacast::net_verbs::test
