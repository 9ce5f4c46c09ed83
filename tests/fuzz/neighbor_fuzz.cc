// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: frames, as they are and with their checksums mended, to the neighbor cores of
// an IPv4 and an IPv6 endpoint, with time passing in between; and whatever they answer with, to the
// other endpoint of their family. The input: of each frame two bytes of length, one of time, bytes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "neighbor/neighbor_protocol.h"
#include "wire/net/icmpv6.h"

namespace {

using namespace lambdacast;
using neighbor::NeighborProtocol;
using Frame = std::vector<uint8_t>;

constexpr size_t kMaxFrames = 64;
constexpr int kMaxAnswers = 256;  // one frame may call forth: announcements, reports, questions

void fail(const char* rule) {
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

NeighborProtocol core_of(bool ipv6, uint8_t number) {
  neighbor::NeighborConfig config;
  config.mac.bytes = {2, 0, 0, 0, 0, number};
  if (ipv6) {
    config.gid.bytes = {0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number};
    config.groups = {wire::Gid{{0xff, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}}};
  } else {
    config.gid = wire::gid_from_ipv4(0x0a4d0000u + number);
    config.groups = {wire::gid_from_ipv4(0xefff4d01)};
  }
  return NeighborProtocol(config);
}

void mend_ipv6(uint8_t* l3, size_t bytes) {
  if (bytes < 40) return;
  const bool hop_by_hop = l3[6] == wire::kIpProtocolHopByHop;
  const size_t at = hop_by_hop ? 48 : 40;
  const size_t end = 40u + base::load_be16(l3 + 4);
  if (end > bytes || end < at + wire::kIcmpv6Bytes) return;
  wire::Gid source;
  wire::Gid destination;
  std::copy(l3 + 8, l3 + 24, source.bytes.begin());
  std::copy(l3 + 24, l3 + 40, destination.bytes.begin());
  base::store_be16(l3 + at + 2, 0);
  const uint16_t sum = wire::icmpv6_sum(source, destination, l3 + at, end - at);
  base::store_be16(l3 + at + 2, static_cast<uint16_t>(~sum));
}

void mend_sum(uint8_t* from, size_t bytes, uint8_t* field) {
  base::store_be16(field, 0);
  const size_t even = bytes & ~size_t{1};
  base::store_be16(field, static_cast<uint16_t>(~wire::fold_sum(wire::internet_sum(from, even))));
}

void mend_ipv4(uint8_t* l3, size_t bytes) {
  if (bytes < 20) return;
  const size_t header = size_t{l3[0] & 0x0fu} * 4;
  const size_t end = base::load_be16(l3 + 2);
  if (header < 20 || end > bytes || end < header + 8) return;
  mend_sum(l3 + header, end - header, l3 + header + 2);  // as IGMP has it
  mend_sum(l3, header, l3 + 10);
}

Frame mended(Frame frame) {
  wire::LinkHeader link;
  if (!wire::load_link(frame.data(), frame.size(), link)) return frame;
  uint8_t* l3 = frame.data() + link.bytes();
  const size_t bytes = frame.size() - link.bytes();
  if (link.ether_type == wire::kEtherTypeIpv6) mend_ipv6(l3, bytes);
  if (link.ether_type == wire::kEtherTypeIpv4) mend_ipv4(l3, bytes);
  return frame;
}

// Takes the frame, and gives what it calls forth to the other.
void exchange(NeighborProtocol& core, NeighborProtocol& other, const Frame& frame,
              uint64_t now_ns) {
  (void)core.receive(frame.data(), frame.size(), now_ns);
  for (int answers = 0;; ++answers) {
    if (answers == kMaxAnswers) fail("a frame calls forth answers without end");
    Frame answer(neighbor::kMaxNeighborFrameBytes);
    const size_t bytes = core.transmit(now_ns, answer.data());
    if (bytes == 0) break;
    if (bytes > answer.size()) fail("an answer is longer than the longest");
    answer.resize(bytes);
    answer.shrink_to_fit();
    if (other.receive(answer.data(), answer.size(), now_ns) != NeighborProtocol::Taken::kTaken) {
      fail("an answer is not taken by a core of its own family");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  NeighborProtocol cores[] = {core_of(false, 1), core_of(false, 2), core_of(true, 1),
                              core_of(true, 2)};
  uint64_t now_ns = 1;
  for (NeighborProtocol& core : cores) core.start(now_ns);
  for (size_t frames = 0; frames < kMaxFrames && bytes >= 3; ++frames) {
    const size_t length = std::min<size_t>(base::load_be16(data), bytes - 3);
    now_ns += uint64_t{1} << (data[2] % 40);
    const Frame frame(data + 3, data + 3 + length);
    data += 3 + length;
    bytes -= 3 + length;
    for (const Frame& each : {frame, mended(frame)}) {
      exchange(cores[0], cores[1], each, now_ns);
      exchange(cores[2], cores[3], each, now_ns);
    }
  }
  for (NeighborProtocol& core : cores) core.leave(now_ns);
  return 0;
}
