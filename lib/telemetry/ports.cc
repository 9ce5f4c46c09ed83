// SPDX-License-Identifier: BSD-3-Clause
// `port_stats`, `port_xstats`, `port_info`: the ports as DPDK's ethdev tells of them.
#include <rte_ethdev.h>

#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

using Row = EndpointCounts;

Value endpoint_of(const Row& row) { return Value(row.endpoint->config().name); }
Value port_of(const Row& row) { return Value(std::to_string(row.endpoint->port().id())); }

constexpr Figure kEndpoint = {"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."};
constexpr Figure kPort = {"port", Kind::kLabel, Unit::kNone, "DPDK's number of the port."};

constexpr FigureOf<Row> kStats[] = {
    {kPort, port_of},
    {kEndpoint, endpoint_of},
    {{"rx_packets", Kind::kCounter, Unit::kPackets, "Frames received."},
     [](const Row& row) { return Value(row.port.rx_packets); }},
    {{"rx_bytes", Kind::kCounter, Unit::kBytes, "Bytes received."},
     [](const Row& row) { return Value(row.port.rx_bytes); }},
    {{"rx_missed", Kind::kCounter, Unit::kPackets, "Frames lost because the receiver was late."},
     [](const Row& row) { return Value(row.port.missed); }},
    {{"rx_no_mbuf", Kind::kCounter, Unit::kPackets, "Frames lost because the pool was empty."},
     [](const Row& row) { return Value(row.port.no_mbuf); }},
    {{"rx_errors", Kind::kCounter, Unit::kPackets, "Frames refused."},
     [](const Row& row) { return Value(row.port.rx_errors); }},
    {{"tx_packets", Kind::kCounter, Unit::kPackets, "Frames transmitted."},
     [](const Row& row) { return Value(row.port.tx_packets); }},
    {{"tx_bytes", Kind::kCounter, Unit::kBytes, "Bytes transmitted."},
     [](const Row& row) { return Value(row.port.tx_bytes); }},
    {{"tx_errors", Kind::kCounter, Unit::kPackets, "Frames that failed to go out."},
     [](const Row& row) { return Value(row.port.tx_errors); }},
};

struct Extended {
  const Row* row;
  std::string name;
  uint64_t value;
};

constexpr FigureOf<Extended> kExtended[] = {
    {kPort, [](const Extended& each) { return port_of(*each.row); }},
    {kEndpoint, [](const Extended& each) { return endpoint_of(*each.row); }},
    {{"name", Kind::kLabel, Unit::kNone, "The driver's name of the count."},
     [](const Extended& each) { return Value(each.name); }},
    {{"count", Kind::kCounter, Unit::kNone, "The driver's count."},
     [](const Extended& each) { return Value(each.value); }},
};

rte_eth_dev_info info_of(const Row& row) {
  rte_eth_dev_info info{};
  rte_eth_dev_info_get(row.endpoint->port().id(), &info);
  return info;
}

Value mtu_of(const Row& row) {
  uint16_t mtu = 0;
  rte_eth_dev_get_mtu(row.endpoint->port().id(), &mtu);
  return Value(uint64_t{mtu});
}

Value speed_of(const Row& row) {
  rte_eth_link link{};
  rte_eth_link_get_nowait(row.endpoint->port().id(), &link);
  constexpr uint64_t kMega = 1'000'000;
  const bool known = link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN;
  return Value(known ? link.link_speed * kMega : 0);
}

constexpr FigureOf<Row> kInfo[] = {
    {kPort, port_of},
    {kEndpoint, endpoint_of},
    {{"name", Kind::kText, Unit::kNone, "The device."},
     [](const Row& row) { return Value(row.endpoint->port().name()); }},
    {{"driver", Kind::kText, Unit::kNone, "Its driver."},
     [](const Row& row) { return Value(row.endpoint->port().driver()); }},
    {{"mac", Kind::kText, Unit::kNone, "Its MAC address."},
     [](const Row& row) { return Value(wire::format(row.endpoint->port().mac())); }},
    {{"multicast_by", Kind::kText, Unit::kNone, "How it is told which groups to receive."},
     [](const Row& row) { return Value(std::string(name(row.endpoint->multicast_filter()))); }},
    {{"link", Kind::kText, Unit::kNone, "Whether its link is up."},
     [](const Row& row) { return Value(std::string(row.link_up ? "up" : "down")); }},
    {{"link_up", Kind::kGauge, Unit::kNone, "1: its link is up; 0: it is down, or gone."},
     [](const Row& row) { return Value(uint64_t{row.link_up}); }},
    {{"link_changes", Kind::kCounter, Unit::kNone, "How often its link went up, down or away."},
     [](const Row& row) { return Value(row.endpoint->port().link_changes()); }},
    {{"speed", Kind::kGauge, Unit::kBitsPerSecond, "Its link's speed; 0: unknown."}, speed_of},
    {{"mtu", Kind::kGauge, Unit::kBytes, "What a frame carries behind its Ethernet header."},
     mtu_of},
    {{"rx_queues", Kind::kGauge, Unit::kNone, "Receive queues in use."},
     [](const Row& row) { return Value(uint64_t{info_of(row).nb_rx_queues}); }},
    {{"tx_queues", Kind::kGauge, Unit::kNone, "Transmit queues in use."},
     [](const Row& row) { return Value(uint64_t{info_of(row).nb_tx_queues}); }},
    {{"socket", Kind::kGauge, Unit::kNone, "The NUMA node it is on; -1: any."},
     [](const Row& row) {
       return Value(int64_t{rte_eth_dev_socket_id(row.endpoint->port().id())});
     }},
};

}  // namespace

Table port_stats_table(const Snapshot& snapshot) { return make_table(kStats, snapshot.endpoints); }

Table port_info_table(const Snapshot& snapshot) { return make_table(kInfo, snapshot.endpoints); }

Table port_xstats_table(const Snapshot& snapshot) {
  std::vector<Extended> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (const auto& [name, value] : each.port.extended) rows.push_back({&each, name, value});
  }
  return make_table(kExtended, rows);
}

}  // namespace lambdacast::telemetry
