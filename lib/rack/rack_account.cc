// SPDX-License-Identifier: BSD-3-Clause
#include "rack/rack_account.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

namespace lambdacast::rack {
namespace {

// Told of nowhere yet or perhaps still on its way, over all receivers.
uint64_t outstanding(const RackAccount& account) {
  uint64_t sum = 0;
  for (const node::NodeReport& each : account.stages) {
    const node::RateControlReport& sender = each.rate_control;
    sum += sender.pending + sender.waiting + (sender.retention.last - sender.retention.stable);
  }
  for (const ReceiverAccount& receiver : account.receivers) {
    sum += static_cast<uint64_t>(std::max<int64_t>(receiver.shortfall(), 0)) + receiver.inside;
    if (const auto network = receiver.losses.find("network"); network != receiver.losses.end()) {
      sum += network->second;
    }
  }
  return sum;
}

// The bytes that applications of this rack have published. Marks and repairs do not count: they are
// no sign that an application is still sending.
uint64_t published_bytes(const RackAccount& account) {
  uint64_t sum = 0;
  for (const node::NodeReport& each : account.stages) sum += each.rate_control.application_bytes;
  return sum;
}

// On the embedded fabric a wavelength tells whose a frame is: the port counts each by itself, as
// "wl13_frames" and so on.
void add_other_wavelengths(Rack& rack, const dpdk::PortStatistics& port, ReceiverAccount& account) {
  const std::set<std::string> kinds = {"frames",   "missed",   "no_mbuf",
                                       "filtered", "too_long", "fault_lost"};
  std::set<std::string> ours;
  for (size_t i = 0; i < rack.size(); ++i) {
    const auto& own = rack.endpoint(i).config().wavelength;
    if (own) ours.insert("wl" + std::to_string(rack.endpoint(i).config().wavelength_index));
  }
  for (const auto& [key, value] : port.extended) {
    const size_t cut = key.find('_');
    if (!key.starts_with("wl") || cut == std::string::npos || ours.contains(key.substr(0, cut))) {
      continue;
    }
    const std::string kind = key.substr(cut + 1);
    if (kinds.contains(kind)) account.elsewhere += value;
    if (kind == "fault_duplicated") account.elsewhere -= value;
  }
}

// Moves out of the losses what no frame of a Lambdacast sender of this fabric is refused for,
// however it was damaged: a port delivers none with a wrong Ethernet checksum. A real network has
// more than one use.
void set_apart_other_traffic(const node::StageCounters& receive, ReceiverAccount& account) {
  using counters::DropReason;
  constexpr DropReason kOthers[] = {
      DropReason::kNotIp,           DropReason::kNotUdp,        DropReason::kIpv4Options,
      DropReason::kIpv4Fragment,    DropReason::kIpv6Extension, DropReason::kNotRocePort,
      DropReason::kNeighborMessage, DropReason::kWrongVlan,     DropReason::kOpcodeNotUd};
  for (const DropReason reason : kOthers) {
    account.other += receive.drops[reason];
    account.losses.erase(name(reason));
  }
}

// There the port also counts what the neighbor stage sends, and may forget its counts: what it has
// taken of the stage is what it did not fail to send.
TransmitterAccount account_on_network(const node::RateControlReport& sender,
                                      const dpdk::PortStatistics& port) {
  const uint64_t taken = sender.packets - sender.pending;
  return {sender.packets, 0, taken - std::min(taken, port.tx_errors)};
}

uint64_t came_of(const reliability::SequenceCounters& seen) {
  return seen.received + seen.duplicates + seen.too_old + seen.too_far_ahead;
}

// On any other network only the sequences tell it, of what came as far as reliability. What was
// refused before is taken for ours as long as any of ours are missing, unless it cannot be.
void add_network(Rack& rack, const node::NodeReport& stages, const dpdk::PortStatistics& port,
                 uint64_t sent, ReceiverAccount& account) {
  uint64_t ours = 0;
  for (size_t at = 0; at < stages.peers(); ++at) {
    const node::NodeReport::Peer peer = stages.peer(at);
    bool is_ours = false;
    for (size_t i = 0; i < rack.size(); ++i) {
      const node::EndpointIdentity& identity = rack.endpoint(i).identity();
      is_ours = is_ours || (identity.gid == peer.name.gid && identity.data_qpn == peer.name.qpn);
    }
    if (!is_ours) continue;
    const reliability::StreamReport& stream = peer.reliability.stream;
    // Others may have had its place before.
    ours += came_of(stream.total) - came_of(stream.of_others) + stream.stale_incarnations -
            stream.stale_of_others;
  }
  const uint64_t at_the_port = port.missed + port.no_mbuf + port.rx_errors;
  set_apart_other_traffic(stages.receive.counters, account);
  const uint64_t refused =
      at_the_port + stages.receive.counters.drops.total() - account.other - account.foreign;
  const uint64_t missing = sent > ours ? sent - ours : 0;
  const uint64_t explained = std::min(missing, refused);
  // The stage's own count: some drivers (memif) forget theirs with the connection.
  const uint64_t came = stages.receive.counters.received + at_the_port;
  account.elsewhere = came > ours + explained ? came - ours - explained : 0;
  if (missing > explained) account.losses["network"] = missing - explained;
}

}  // namespace

bool RackAccount::at_rest() const {
  // Endpoints never fall silent, so that a look finds a few control frames on their way.
  constexpr int64_t kControlOnItsWay = 4;
  const auto on_its_way = static_cast<int64_t>(receivers.size()) * kControlOnItsWay;
  return std::all_of(receivers.begin(), receivers.end(),
                     [&](const ReceiverAccount& r) {
                       return std::abs(r.shortfall()) <= on_its_way && r.missing_data() == 0 &&
                              r.inside == 0 && !r.losses.contains("network");
                     }) &&
         std::all_of(stages.begin(), stages.end(), [](const node::NodeReport& each) {
           const node::RateControlReport& s = each.rate_control;
           return s.pending == 0 && s.waiting == 0 && s.retention.stable == s.retention.last;
         });
}

RackAccount account_of(Rack& rack) {
  RackAccount account;
  account.stages = rack.snapshot();
  for (size_t i = 0; i < rack.size(); ++i) {
    account.ports.push_back(rack.endpoint(i).attachment().statistics());
    account.transmitters.push_back(
        rack.endpoint(i).attachment().is_embedded_fabric()
            ? account_of_transmitter(account.stages[i], account.ports[i])
            : account_on_network(account.stages[i].rate_control, account.ports[i]));
    account.receivers.push_back(account_of_receiver(account.stages[i], account.ports[i]));
  }
  for (size_t i = 0; i < rack.size(); ++i) {
    uint64_t never_sent = 0;
    for (size_t peer = 0; peer < rack.size(); ++peer) {
      if (peer == i) continue;
      const TransmitterAccount& transmitter = account.transmitters[peer];
      account.receivers[i].expected += transmitter.numbered + transmitter.control;
      account.receivers[i].control_expected += transmitter.control;
      never_sent += account.transmitters[peer].lost();
    }
    ReceiverAccount& receiver = account.receivers[i];
    if (never_sent != 0) receiver.losses["transmitter"] = never_sent;
    if (rack.endpoint(i).attachment().is_embedded_fabric()) {
      add_other_wavelengths(rack, account.ports[i], receiver);
    } else {
      add_network(rack, account.stages[i], account.ports[i], receiver.expected - never_sent,
                  receiver);
    }
  }
  account.now_ns = rack.clock().now_ns();
  return account;
}

RackAccount settle(Rack& rack, dpdk::StopSignal& stop) {
  constexpr int kQuietLooks = 50;
  constexpr uint64_t kLookEveryMs = 10;
  RackAccount account = account_of(rack);
  uint64_t least = outstanding(account);
  uint64_t most = published_bytes(account);
  // Twice, so that nothing but control can have been on its way.
  int rests = account.at_rest() ? 1 : 0;
  for (int quiet = 0; quiet < kQuietLooks && rests < 2;) {
    (void)stop.wait_ms(kLookEveryMs);
    account = account_of(rack);
    rests = account.at_rest() ? rests + 1 : 0;
    const uint64_t now = outstanding(account);
    const uint64_t published = published_bytes(account);
    quiet = now < least || published > most ? 0 : quiet + 1;
    least = std::min(least, now);
    most = published;
  }
  return account;
}

}  // namespace lambdacast::rack
