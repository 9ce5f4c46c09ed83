// SPDX-License-Identifier: BSD-3-Clause
// Writes frames that lib/wire builds, for judges that share no code with it
// (scripts/dev/check_vectors.py). Usage: emit_frames OUT.pcap OUT.json. The JSON is a list, in the
// order of the frames, of what each was told to say.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "vectors/pcap.h"
#include "wire/roce/build.h"
#include "wire/roce/opcode.h"

namespace lambdacast {
namespace {

using vectors::Frame;
using wire::FrameFields;

constexpr size_t kSizes[] = {0,  1,  2,   3,    4,    5,    6,    7,    8,    63,
                             64, 65, 256, 1000, 1023, 2048, 4093, 4094, 4095, 4096};

// Which of a frame's optional parts are there: three independent choices.
struct Shape {
  bool ipv6;
  bool vlan;
  bool immediate;
};

FrameFields fields_of(const Shape& shape, uint32_t number) {
  FrameFields f;
  f.source_mac = wire::parse_mac("02:00:00:00:00:01").value();
  const bool multicast = number % 2 == 0;
  const char* ipv4 = multicast ? "239.255.1.1" : "10.0.0.2";
  const char* ipv6 = multicast ? "ff0e::1:2345:6789" : "fd77::2";
  f.source_gid = wire::parse_gid(shape.ipv6 ? "fd77::1" : "10.0.0.1").value();
  f.destination_gid = wire::parse_gid(shape.ipv6 ? ipv6 : ipv4).value();
  f.destination_mac = multicast ? wire::multicast_mac(f.destination_gid)
                                : wire::parse_mac("02:00:00:00:00:02").value();
  f.has_vlan = shape.vlan;
  f.vlan_tci = static_cast<uint16_t>(shape.vlan ? 0x6000 + number : 0);
  f.traffic_class = static_cast<uint8_t>(4 * number);
  f.hop_limit = static_cast<uint8_t>(1 + number);
  f.ip_id = static_cast<uint16_t>(number * 977);
  f.dont_fragment = number % 3 != 0;
  f.flow_label = shape.ipv6 ? number * 6469 : 0;
  f.pkey = static_cast<uint16_t>(0x8000 + number);
  f.destination_qpn = multicast ? wire::kMulticastQpn : 0x100 + number;
  f.source_qpn = 0xa00000 + number;
  f.udp_source_port = wire::roce_source_port(f.source_qpn);
  f.qkey = 0x11110000 + number;
  f.psn = 0xffffc0 + number;  // the numbers cross the wrap
  f.psn &= 0xffffff;
  f.solicited = number % 2 != 0;
  f.ack_request = number % 5 == 0;
  f.fecn = number % 7 == 0;
  f.becn = number % 11 == 0;
  f.has_immediate = shape.immediate;
  f.immediate = shape.immediate ? 0xdead0000 + number : 0;
  return f;
}

Frame payload_of(size_t bytes) {
  Frame payload(bytes);
  auto value = static_cast<uint8_t>(bytes);
  for (uint8_t& byte : payload) {
    byte = value;
    value = static_cast<uint8_t>(value + 7);
  }
  return payload;
}

// By the one way or the other, so that both are judged.
Frame build(const FrameFields& f, const Frame& payload, bool by_template) {
  Frame frame(wire::kMaxFrameBytes);
  if (by_template) {
    const wire::FrameTemplate flow(f);
    std::copy(payload.begin(), payload.end(), frame.data() + flow.header_bytes());
    frame.resize(flow.finish(frame.data(), payload.size(), f.psn, f.ip_id));
  } else {
    frame.resize(wire::build_frame(f, payload, frame.data(), frame.size()));
  }
  return frame;
}

nlohmann::json description(const Shape& shape, const FrameFields& f, size_t payload_bytes) {
  return {{"ipv6", shape.ipv6},
          {"vlan_tci", shape.vlan ? nlohmann::json(f.vlan_tci) : nlohmann::json()},
          {"source", wire::format(f.source_gid)},
          {"destination", wire::format(f.destination_gid)},
          {"destination_mac", wire::format(f.destination_mac)},
          {"traffic_class", f.traffic_class},
          {"hop_limit", f.hop_limit},
          {"ip_id", f.ip_id},
          {"flow_label", f.flow_label},
          {"source_port", f.udp_source_port},
          {"opcode", shape.immediate ? wire::kOpcodeUdSendOnlyImmediate : wire::kOpcodeUdSendOnly},
          {"solicited", f.solicited},
          {"ack_request", f.ack_request},
          {"fecn", f.fecn},
          {"becn", f.becn},
          {"pkey", f.pkey},
          {"destination_qpn", f.destination_qpn},
          {"source_qpn", f.source_qpn},
          {"qkey", f.qkey},
          {"psn", f.psn},
          {"immediate", shape.immediate ? nlohmann::json(f.immediate) : nlohmann::json()},
          {"payload_bytes", payload_bytes}};
}

void emit(const std::string& pcap_path, const std::string& json_path) {
  std::vector<Frame> frames;
  auto descriptions = nlohmann::json::array();
  for (const wire::IcrcMethod& method : wire::icrc_methods()) {
    wire::use_icrc_methods(method, method);
    uint32_t number = 0;
    for (int bits = 0; bits < 8; ++bits) {
      const Shape shape{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      for (const size_t payload_bytes : kSizes) {
        const FrameFields f = fields_of(shape, number);
        frames.push_back(build(f, payload_of(payload_bytes), number % 4 < 2));
        descriptions.push_back(description(shape, f, payload_bytes));
        ++number;
      }
    }
  }
  vectors::write_pcap(pcap_path, frames);
  std::ofstream(json_path) << descriptions.dump(1) << '\n';
}

}  // namespace
}  // namespace lambdacast

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: emit_frames OUT.pcap OUT.json\n";
    return 2;
  }
  try {
    lambdacast::emit(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
