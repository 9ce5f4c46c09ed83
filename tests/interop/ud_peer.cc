// SPDX-License-Identifier: BSD-3-Clause
// Our side of the exchange with the kernel: a plain queue pair (node::DatagramCore) on a DPDK
// port, told what to do a line at a time, each answered by one. Bytes are hexadecimal, '-' is none.
//
//   ud_peer DEVICE QPN QKEY GID...    e.g. net_af_packet0,iface=tap0 0x4242 0x11111111 10.77.0.1
//   attach GID                        -> ok
//   send VARIANT MAC GID QPN QKEY PSN IMMEDIATE BYTES   -> ok: one of ud_variant.cc's frames
//   judge VARIANT GID QPN QKEY PSN IMMEDIATE BYTES      -> accepted | dropped REASON: that frame,
//   but
//                                                          to ourselves, and past the port
//   take MILLISECONDS -> received BYTES SOURCE_GID SOURCE_QPN IMMEDIATE PSN DESTINATION_GID |
//   nothing drops             -> drops [REASON COUNT]...: what did not count as received since the
//   last time
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "counters/drop_reason.h"
#include "datagram/datagram_core.h"
#include "dpdk/eal.h"
#include "dpdk/packet.h"
#include "dpdk/port.h"
#include "interop/ud_variant.h"

namespace lambdacast::interop {
namespace {

using Clock = std::chrono::steady_clock;
using counters::DropReason;

constexpr uint16_t kBurst = 32;
constexpr uint32_t kMbufs = 1024;
// net_af_packet of DPDK 22.11 says that it takes no more, and takes what its ring's frames hold.
constexpr uint16_t kMtu = 1500;
// It wants room for all that fits those.
constexpr uint16_t kRoomBytes = RTE_PKTMBUF_HEADROOM + 8192;
constexpr uint32_t kMemoryMib = 96;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

template <typename T>
T value_of(base::Result<T> result) {
  if (!result) fail(result.error().message);
  return std::move(*result);
}

std::string hex(const uint8_t* bytes, size_t count) {
  if (count == 0) return "-";
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

Bytes parse_hex(const std::string& text) {
  Bytes bytes;
  if (text == "-") return bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

class Words {
 public:
  explicit Words(const std::string& line) : words_(line) {}
  std::string text() {
    std::string next;
    if (!(words_ >> next)) fail("the command is too short");
    return next;
  }
  uint32_t number() { return static_cast<uint32_t>(std::stoul(text(), nullptr, 0)); }
  wire::Gid gid() { return value_of(wire::parse_gid(text())); }

 private:
  std::istringstream words_;
};

struct Arguments {
  std::string device;
  uint32_t qpn = 0;
  uint32_t qkey = 0;
  std::vector<wire::Gid> gids;
};

struct FreePool {
  void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
};

class Peer {
 public:
  explicit Peer(const Arguments& arguments)
      : arguments_(arguments),
        core_({arguments.qpn, arguments.qkey, wire::kDefaultPkey, {}, 4096, arguments.gids}),
        pool_(rte_pktmbuf_pool_create("ud_peer", kMbufs, 0, 0, kRoomBytes, SOCKET_ID_ANY)) {
    if (!pool_) fail("no memory for packets");
    dpdk::PortConfig config;
    config.device = arguments.device;
    config.mtu = kMtu;
    port_ = value_of(dpdk::Port::open(config, pool_.get()));
    if (auto started = port_->start(); !started) fail(started.error().message);
  }

  std::string answer(const std::string& line) {
    Words words(line);
    const std::string command = words.text();
    if (command == "attach") {
      const wire::Gid group = words.gid();
      core_.attach(group);
      groups_.push_back(wire::multicast_mac(group));
      value_of(port_->receive_multicast(groups_));
      return "ok";
    }
    if (command == "send") return send(words);
    if (command == "judge") return judge(words);
    if (command == "take") return take(words.number());
    if (command == "drops") return drops();
    fail("no such command: " + command);
  }

 private:
  // VARIANT is read already; from GID to BYTES.
  Bytes read_frame(const std::string& variant_name, const wire::MacAddress& mac, Words& words) {
    const Variant* variant = find_variant(variant_name);
    if (variant == nullptr) fail("no such variant: " + variant_name);
    wire::FrameFields fields;
    fields.destination_mac = mac;
    fields.source_mac = port_->mac();
    fields.destination_gid = words.gid();
    fields.source_gid = own_gid_like(fields.destination_gid);
    fields.udp_source_port = wire::roce_source_port(arguments_.qpn);
    fields.source_qpn = arguments_.qpn;
    fields.destination_qpn = words.number();
    fields.qkey = words.number();
    fields.psn = words.number();
    fields.ip_id = static_cast<uint16_t>(fields.psn);
    const std::string immediate = words.text();
    fields.has_immediate = immediate != "-";
    if (fields.has_immediate) {
      fields.immediate = static_cast<uint32_t>(std::stoul(immediate, nullptr, 0));
    }
    Bytes frame = build_variant(*variant, fields, parse_hex(words.text()));
    if (frame.empty()) fail("no frame can be built of that");
    return frame;
  }

  [[nodiscard]] wire::Gid own_gid_like(const wire::Gid& other) const {
    for (const wire::Gid& gid : arguments_.gids) {
      if (wire::is_ipv4_mapped(gid) == wire::is_ipv4_mapped(other)) return gid;
    }
    fail("no address of our own in that family");
  }

  std::string send(Words& words) {
    const std::string variant = words.text();
    const wire::MacAddress mac = value_of(wire::parse_mac(words.text()));
    const Bytes frame = read_frame(variant, mac, words);
    rte_mbuf* packet = rte_pktmbuf_alloc(pool_.get());
    char* room = packet == nullptr
                     ? nullptr
                     : rte_pktmbuf_append(packet, static_cast<uint16_t>(frame.size()));
    if (room == nullptr) fail("no packet of that length");
    std::copy(frame.begin(), frame.end(), room);
    while (rte_eth_tx_burst(port_->id(), 0, &packet, 1) == 0) {
    }
    return "ok";
  }

  std::string judge(Words& words) {
    const std::string variant = words.text();
    const Bytes frame = read_frame(variant, port_->mac(), words);
    wire::FrameView view;
    const DropReason reason = core_.receive(frame.data(), frame.size(), view);
    return reason == DropReason::kNone ? "accepted"
                                       : "dropped " + std::string(counters::name(reason));
  }

  std::string take(uint32_t milliseconds) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
    do {
      poll();
    } while (first_ == received_.size() && Clock::now() < deadline);
    return first_ == received_.size() ? "nothing" : std::move(received_[first_++]);
  }

  void poll() {
    std::array<rte_mbuf*, kBurst> packets;
    const uint16_t count = rte_eth_rx_burst(port_->id(), 0, packets.data(), kBurst);
    for (uint16_t i = 0; i < count; ++i) {
      const uint8_t* frame = dpdk::frame_of(packets[i]);
      wire::FrameView view;
      const DropReason reason = core_.receive(frame, packets[i]->pkt_len, view);
      if (reason == DropReason::kNone) {
        received_.push_back(text_of(frame, view));
      } else {
        ++drops_[static_cast<size_t>(reason)];
      }
      rte_pktmbuf_free(packets[i]);
    }
  }

  static std::string text_of(const uint8_t* frame, const wire::FrameView& view) {
    return "received " + hex(frame + view.payload_offset, view.payload_bytes) + " " +
           wire::format(view.source_gid) + " " + std::to_string(view.source_qpn) + " " +
           (view.has_immediate ? std::to_string(view.immediate) : std::string("-")) + " " +
           std::to_string(view.psn) + " " + wire::format(view.destination_gid);
  }

  std::string drops() {
    std::string text = "drops";
    for (size_t i = 0; i < drops_.size(); ++i) {
      if (drops_[i] == 0) continue;
      text.append(" ").append(counters::name(static_cast<DropReason>(i))).append(" ");
      text.append(std::to_string(drops_[i]));
      drops_[i] = 0;
    }
    return text;
  }

  Arguments arguments_;
  node::DatagramCore core_;
  std::unique_ptr<rte_mempool, FreePool> pool_;
  std::unique_ptr<dpdk::Port> port_;
  std::vector<wire::MacAddress> groups_;
  std::vector<std::string> received_;  // answers to take
  size_t first_ = 0;                   // of those not taken yet
  std::array<uint64_t, counters::kDropReasons> drops_{};
};

void run(int argc, char** argv) {
  if (argc < 5) fail("usage: ud_peer DEVICE QPN QKEY GID...");
  Arguments arguments;
  arguments.device = argv[1];
  arguments.qpn = static_cast<uint32_t>(std::stoul(argv[2], nullptr, 0));
  arguments.qkey = static_cast<uint32_t>(std::stoul(argv[3], nullptr, 0));
  for (int i = 4; i < argc; ++i) arguments.gids.push_back(value_of(wire::parse_gid(argv[i])));
  const auto eal = value_of(dpdk::Eal::start(
      argv[0],
      dpdk::eal_arguments({}, {"--no-huge", "--no-shconf", "-m", std::to_string(kMemoryMib)},
                          dpdk::Machine::this_one())));
  Peer peer(arguments);
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << peer.answer(line) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "failed " << error.what() << std::endl;
    }
  }
}

}  // namespace
}  // namespace lambdacast::interop

int main(int argc, char** argv) {
  try {
    lambdacast::interop::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "ud_peer: " << error.what() << '\n';
    return 1;
  }
}
