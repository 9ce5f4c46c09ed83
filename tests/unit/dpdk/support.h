// SPDX-License-Identifier: BSD-3-Clause
// What the tests of lib/dpdk and lib/rack share: racks on small fabrics of their own, packets of a
// pool that is counted, and a way to put any bytes on a wavelength.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "dpdk/mbuf_env.h"
#include "fabric/fabric.h"
#include "rack/endpoint.h"
#include "rack/rack.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"

namespace lambdacast::test {

using rack::Endpoint;

// A name that no other test and no other process uses.
[[nodiscard]] std::string fresh_fabric();

// Throws with the problems if the text is not right: tests write what is.
[[nodiscard]] config::Config parsed(const std::string& toml);

// node0, node1, ... at 10.77.0.1, ... on wavelengths C21, ...; a path MTU of 256 bytes.
struct RackSpec {
  std::string fabric = fresh_fabric();
  uint32_t nodes = 2;
  uint32_t wavelengths = 4;
  uint32_t slots = 256;
  std::string defaults;            // further keys of [endpoint_defaults]
  std::vector<std::string> extra;  // further keys of each endpoint
  std::string tables;              // [[lcore]] ...
  bool ipv6 = false;
};
[[nodiscard]] config::Config rack_config(const RackSpec& spec);

// A started endpoint of a configuration. Throws with the sentence if it cannot be made.
[[nodiscard]] std::unique_ptr<Endpoint> started(const config::Config& config, size_t index,
                                                const Endpoint::Options& options = {});

// Publishes `message` to `group`; false if there is no loan or no room.
bool publish(Endpoint& endpoint, const std::vector<uint8_t>& message, uint32_t group = 1);
[[nodiscard]] std::vector<uint8_t> counting_bytes(size_t bytes);

// Polls all four stages and the publisher until none has anything more.
void run_dry(Endpoint& endpoint, uint64_t now_ns = 1000);

// What all its stages report.
[[nodiscard]] node::NodeReport report_of(const Endpoint& endpoint);

struct Delivery {
  node::PacketInfo info;
  std::vector<uint8_t> payload;
};
[[nodiscard]] std::vector<Delivery> deliveries_of(Endpoint& endpoint);

// Somebody on the fabric who is none of our endpoints.
class Light {
 public:
  Light(const std::string& fabric, uint32_t wavelength);
  void send(const std::vector<uint8_t>& frame);

 private:
  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::Transmitter transmitter_;
};

// A frame that `to` delivers, from a stranger at 10.77.0.200, with what the test changes in it.
struct FrameSpec {
  wire::FrameFields fields;
  wire::TransportHeader header;
  std::vector<uint8_t> message = counting_bytes(20);
};
[[nodiscard]] FrameSpec frame_for(const Endpoint& to);
[[nodiscard]] std::vector<uint8_t> bytes_of(const FrameSpec& spec);

// Packets as endpoints have them, from a pool that knows how many are away.
class Pool {
 public:
  explicit Pool(uint32_t packets = 511);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] rte_mbuf* packet(uint64_t frame_seq = 0);
  [[nodiscard]] std::vector<rte_mbuf*> packets(uint32_t count);
  [[nodiscard]] uint32_t away() const { return rte_mempool_in_use_count(pool_); }
  [[nodiscard]] rte_mempool* get() const { return pool_; }

 private:
  rte_mempool* pool_;
};

// What stages apart from an endpoint need: packets of a pool that is counted. Nothing comes in;
// frames go out at `port`.
struct StageEnv {
  explicit StageEnv(uint16_t port = 0, uint32_t count = 511) : pool(count), transmitter(port) {}

  Pool pool;
  dpdk::MbufPackets packets{pool.get(), 0};
  dpdk::MbufReceiver receiver{{dpdk::RxQueue{}}};
  dpdk::MbufTransmitter transmitter;
  dpdk::MbufEnv env{packets, receiver, transmitter};
};

// Does `happened` become true, while other lcores run? Half a minute at most.
[[nodiscard]] bool eventually(const std::function<bool()>& happened);

// Files of a fabric that exist: none once everybody has left.
[[nodiscard]] std::vector<std::string> files_of_fabrics();

// A stage that does what the test says.
class FakeStage final : public node::Stage {
 public:
  explicit FakeStage(std::function<uint32_t(uint64_t)> poll) : poll_(std::move(poll)) {}
  [[nodiscard]] const char* name() const override { return "fake"; }
  uint32_t poll(uint64_t now_ns) override { return poll_(now_ns); }

 private:
  std::function<uint32_t(uint64_t)> poll_;
};

}  // namespace lambdacast::test
