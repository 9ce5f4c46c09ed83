// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

#include <rte_cycles.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "dpdk/clock.h"

namespace lambdacast::test {

std::string fresh_fabric() {
  static int next = 0;
  return "dp" + std::to_string(::getpid()) + "-" + std::to_string(next++);
}

config::Config parsed(const std::string& toml) {
  config::Loaded loaded = config::parse(toml, "test");
  if (!loaded) throw std::runtime_error(config::text(loaded.error()) + toml);
  return std::move(*loaded);
}

config::Config rack_config(const RackSpec& spec) {
  const auto number = [](uint32_t value) { return std::to_string(value); };
  std::string toml = "[fabric]\nname = \"" + spec.fabric +
                     "\"\nwavelengths = " + number(spec.wavelengths) +
                     "\nslots = " + number(spec.slots) +
                     "\nframe_bytes = 1518\n[endpoint_defaults]\npath_mtu = 256\nmbufs = 512\n"
                     "reliability = { transmit_window = 64, receive_window = 64, hold = 64 }\n"
                     "link_slots = 64\nrx_descriptors = 64\ntx_descriptors = 64\n" +
                     spec.defaults + "\n";
  for (uint32_t i = 0; i < spec.nodes; ++i) {
    toml += "[[endpoint]]\nname = \"node" + number(i) + "\"\naddress = \"" +
            (spec.ipv6 ? "fd00::" : "10.77.0.") + number(i + 1) + "\"\nwavelength = \"C" +
            number(21 + i) + "\"\n" + (i < spec.extra.size() ? spec.extra[i] : "") + "\n";
  }
  return parsed(toml + spec.tables);
}

std::unique_ptr<Endpoint> started(const config::Config& config, size_t index,
                                  const Endpoint::Options& options) {
  auto endpoint = Endpoint::create(config.endpoints.at(index), config.fabric, options);
  if (!endpoint) throw std::runtime_error(endpoint.error().message);
  if (auto begun = (*endpoint)->port().start(); !begun) {
    throw std::runtime_error(begun.error().message);
  }
  return std::move(*endpoint);
}

bool publish(Endpoint& endpoint, const std::vector<uint8_t>& message, uint32_t group) {
  dpdk::Loan loan;
  if (endpoint.loan({&loan, 1}) != 1) return false;
  std::copy(message.begin(), message.end(), loan.payload());
  if (loan.describe(message.size(), group, wire::Qos::kUnreliable) &&
      endpoint.publish({&loan, 1}) == 1) {
    return true;
  }
  endpoint.give_back({&loan, 1});
  return false;
}

std::vector<uint8_t> counting_bytes(size_t bytes) {
  std::vector<uint8_t> content(bytes);
  for (size_t i = 0; i < bytes; ++i) content[i] = static_cast<uint8_t>(i * 7 + 1);
  return content;
}

void run_dry(Endpoint& endpoint, uint64_t now_ns) {
  dpdk::MbufNode& node = endpoint.node();
  node::Stage* const stages[] = {&node.receive(), &node.reliability(), &node.ordering(),
                                 &node.publisher(), &node.rate_control()};
  for (uint32_t moved = 1; moved != 0;) {
    moved = 0;
    for (node::Stage* stage : stages) moved += stage->poll(now_ns);
  }
}

node::NodeReport report_of(const Endpoint& endpoint) {
  using node::StageId;
  node::NodeReport report;
  for (const StageId stage : {StageId::kReceive, StageId::kNeighbor, StageId::kReliability,
                              StageId::kOrdering, StageId::kRateControl})
    endpoint.node().report(stage, report);
  report.trim();
  return report;
}

std::vector<Delivery> deliveries_of(Endpoint& endpoint) {
  std::vector<Delivery> all;
  node::MessageSink sink([&](const node::PacketInfo& info, std::span<const uint8_t> payload) {
    all.push_back({info, {payload.begin(), payload.end()}});
  });
  while (endpoint.take_deliveries(node::kMaxBurst, sink) != 0) {
  }
  return all;
}

Light::Light(const std::string& fabric, uint32_t wavelength) {
  auto attached = fabric::Fabric::attach(fabric, {});
  if (!attached) throw std::runtime_error(attached.error().message);
  fabric_ = std::move(*attached);
  auto transmitter = fabric_->claim(wavelength);
  if (!transmitter) throw std::runtime_error(transmitter.error().message);
  transmitter_ = *transmitter;
}

void Light::send(const std::vector<uint8_t>& frame) {
  std::copy(frame.begin(), frame.end(), transmitter_.begin_frame());
  // A frame's word has some days of ticks: to half of them a departure at 0 is one to come.
  transmitter_.end_frame(static_cast<uint32_t>(frame.size()), rte_rdtsc());
  transmitter_.end_burst();
}

FrameSpec frame_for(const Endpoint& to) {
  const node::EndpointIdentity& identity = to.identity();
  FrameSpec spec;
  spec.fields.destination_mac = wire::multicast_mac(identity.multicast_gid);
  spec.fields.source_mac = {{2, 0, 0, 0, 0, 200}};
  spec.fields.source_gid = wire::gid_from_ipv4(0x0a4d00c8);
  spec.fields.destination_gid = identity.multicast_gid;
  spec.fields.destination_qpn = wire::kMulticastQpn;
  spec.fields.source_qpn = identity.data_qpn;
  spec.fields.qkey = identity.qkey;
  spec.header.incarnation = 7;
  spec.header.group = 1;
  return spec;
}

std::vector<uint8_t> bytes_of(const FrameSpec& spec) {
  wire::FrameFields fields = spec.fields;
  wire::TransportHeader header = spec.header;
  fields.psn = static_cast<uint32_t>(header.frame_seq & 0xffffff);
  header.message_bytes = static_cast<uint32_t>(spec.message.size());
  std::vector<uint8_t> payload(wire::kTransportHeaderBytes);
  wire::store_transport(header, payload.data());
  payload.insert(payload.end(), spec.message.begin(), spec.message.end());
  std::vector<uint8_t> frame(wire::kMaxFrameBytes);
  frame.resize(wire::build_frame(fields, payload, frame.data(), frame.size()));
  return frame;
}

Pool::Pool(uint32_t packets) {
  static int next = 0;
  pool_ = rte_pktmbuf_pool_create(("test_pool" + std::to_string(next++)).c_str(), packets, 0,
                                  sizeof(node::PacketInfo), dpdk::kDataRoomBytes, SOCKET_ID_ANY);
  if (pool_ == nullptr) throw std::runtime_error("no memory for a pool");
}

Pool::~Pool() { rte_mempool_free(pool_); }

rte_mbuf* Pool::packet(uint64_t frame_seq) {
  rte_mbuf* m = rte_pktmbuf_alloc(pool_);
  if (m == nullptr) throw std::runtime_error("the pool is empty");
  dpdk::info_of(m) = {};
  dpdk::info_of(m).frame_seq = frame_seq;
  dpdk::info_of(m).psn = static_cast<uint32_t>(frame_seq & 0xffffff);
  dpdk::info_of(m).group = 1;
  return m;
}

std::vector<rte_mbuf*> Pool::packets(uint32_t count) {
  std::vector<rte_mbuf*> all;
  for (uint32_t i = 0; i < count; ++i) all.push_back(packet(i));
  return all;
}

bool eventually(const std::function<bool()>& happened) {
  constexpr uint64_t kHalfMinuteNs = 30'000'000'000;
  const dpdk::TscClock clock;
  while (!happened()) {
    if (clock.now_ns() > kHalfMinuteNs) return false;
    ::sched_yield();
  }
  return true;
}

std::vector<std::string> files_of_fabrics() {
  const std::string mine = "odbss.dp" + std::to_string(::getpid()) + "-";
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    if (name.starts_with(mine)) found.push_back(name);
  }
  return found;
}

}  // namespace lambdacast::test
