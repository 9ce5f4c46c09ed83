// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frame_mutator.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/bytes.h"

namespace lambdacast::fuzz {
namespace {

constexpr size_t kSmallBytes = 300;  // larger frames only add payload, and cost time

// Positions in the headers are as likely as all the rest together.
size_t some_offset(const Frame& frame, base::SplitMix64& random) {
  const size_t range = random.below(2) == 0 ? std::min<size_t>(frame.size(), 80) : frame.size();
  return random.below(range);
}

void insert_vlan_tag(Frame& frame, base::SplitMix64& random) {
  if (frame.size() < 14) return;
  const auto tci = static_cast<uint8_t>(random());
  const Frame tag{static_cast<uint8_t>(random.below(2) == 0 ? 0x81 : 0x88),
                  static_cast<uint8_t>(random.below(2) == 0 ? 0x00 : 0xa8), tci, tci};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
}

// Where an untagged IPv6 frame has its source or its destination.
void insert_mapped_prefix(Frame& frame, base::SplitMix64& random) {
  constexpr uint8_t kPrefix[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const size_t at = random.below(2) == 0 ? 22 : 38;
  if (at + std::size(kPrefix) > frame.size()) return;
  std::copy(std::begin(kPrefix), std::end(kPrefix), frame.begin() + static_cast<ptrdiff_t>(at));
}

// A field of the frame's headers, and how many bytes it has.
struct Field {
  size_t offset;
  size_t bytes;
};

// Of the layers behind Ethernet, counted from their own start.
constexpr Field kIpv4Fields[] = {{0, 1},  {2, 2},  {6, 2},  {9, 1},
                                 {12, 4}, {15, 1}, {16, 4}, {19, 1}};
constexpr Field kIpv6Fields[] = {{0, 1},  {4, 2},  {6, 1},  {8, 4}, {20, 4},
                                 {23, 1}, {24, 4}, {36, 4}, {39, 1}};
constexpr Field kUdpFields[] = {{2, 2}, {4, 2}};
constexpr Field kBthFields[] = {{0, 1}, {1, 1}, {2, 2}, {5, 3}, {12, 4}, {17, 3}};
constexpr Field kTransportFields[] = {{0, 1},  {1, 1},  {2, 1},  {4, 4},  {8, 8},
                                      {15, 1}, {32, 4}, {40, 4}, {44, 4}, {45, 1},
                                      {46, 1}, {48, 4}, {52, 2}, {56, 2}};

size_t l3_of(const Frame& frame) {
  size_t l3 = 14;
  while (l3 < 22 && l3 <= frame.size() && (frame[l3 - 2] == 0x81 || frame[l3 - 2] == 0x88)) l3 += 4;
  return l3;
}

template <size_t kCount>
Field field_of(const Field (&fields)[kCount], size_t layer, base::SplitMix64& random) {
  const Field& field = fields[random.below(kCount)];
  return {layer + field.offset, field.bytes};
}

Field some_field(const Frame& frame, base::SplitMix64& random) {
  const size_t l3 = l3_of(frame);
  const bool ipv6 = l3 < frame.size() && frame[l3] / 16 == 6;
  const size_t udp = l3 + (ipv6 ? 40 : 20);
  const size_t bth = udp + 8;
  switch (random.below(5)) {
    case 0:
      return ipv6 ? field_of(kIpv6Fields, l3, random) : field_of(kIpv4Fields, l3, random);
    case 1:
      return field_of(kUdpFields, udp, random);
    case 2:
      return field_of(kBthFields, bth, random);
    default:
      return field_of(kTransportFields, bth + 20, random);
  }
}

}  // namespace

std::vector<Frame> golden_frames(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".pcap") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the order of a directory is no one's promise
  std::vector<Frame> frames;
  for (const std::string& path : paths) {
    for (Frame& frame : vectors::read_pcap(path)) {
      if (frame.size() <= kSmallBytes) frames.push_back(std::move(frame));
    }
  }
  return frames;
}

void mutate_once(Frame& frame, base::SplitMix64& random) {
  constexpr uint16_t kInteresting[] = {0, 1, 3, 4, 20, 40, 0x7fff, 0x8000, 0xffff, 4791, 0x86dd};
  if (frame.empty()) return;
  const size_t at = some_offset(frame, random);
  switch (random.below(8)) {
    case 0:
      frame[at] ^= static_cast<uint8_t>(1u << random.below(8));
      break;
    case 1:
      frame[at] = static_cast<uint8_t>(random());
      break;
    case 2:
      if (at + 2 <= frame.size()) {
        base::store_be16(&frame[at], kInteresting[random.below(std::size(kInteresting))]);
      }
      break;
    case 3:
      frame.resize(random.below(4) == 0 ? at : frame.size() - random.below(5) % frame.size());
      break;
    case 4:
      frame.resize(frame.size() + random.below(64), static_cast<uint8_t>(random()));
      break;
    case 5:
      insert_vlan_tag(frame, random);
      break;
    case 6:
      insert_mapped_prefix(frame, random);
      break;
    default:
      frame.erase(frame.begin() + static_cast<ptrdiff_t>(at));
  }
}

void mutate_field(Frame& frame, base::SplitMix64& random) {
  const Field field = some_field(frame, random);
  if (field.offset + field.bytes > frame.size()) return;
  uint8_t* last = &frame[field.offset + field.bytes - 1];
  constexpr uint8_t kInteresting[] = {0, 1, 17, 43, 44, 64, 128, 224, 239, 255};
  switch (random.below(5)) {
    case 0:
      ++*last;
      break;
    case 1:
      --*last;
      break;
    case 2:  // 0, 1, 2 ... or all ones
      std::fill_n(&frame[field.offset], field.bytes, random.below(2) == 0 ? 0xff : 0x00);
      *last = static_cast<uint8_t>(*last + random.below(5));
      break;
    case 3:  // protocols, headers, groups
      frame[field.offset] = kInteresting[random.below(std::size(kInteresting))];
      break;
    default:
      for (size_t i = 0; i < field.bytes; ++i) {
        frame[field.offset + i] = static_cast<uint8_t>(random());
      }
  }
}

void resize_payload(Frame& frame, base::SplitMix64& random) {
  const size_t l3 = l3_of(frame);
  if (l3 >= frame.size()) return;
  const bool ipv6 = frame[l3] / 16 == 6;
  const size_t ip_bytes = ipv6 ? 40 : 20;
  const size_t total = frame.size() - l3;
  const size_t cut = random.below(total) / (random.below(2) == 0 ? 1 : 16);
  const size_t wanted = random.below(2) == 0 ? total - cut : total + random.below(64);
  if (wanted < ip_bytes + 8) return;
  frame.resize(l3 + wanted, static_cast<uint8_t>(random()));
  base::store_be16(&frame[l3 + (ipv6 ? 4 : 2)],
                   static_cast<uint16_t>(wanted - (ipv6 ? ip_bytes : 0)));
  base::store_be16(&frame[l3 + ip_bytes + 4], static_cast<uint16_t>(wanted - ip_bytes));
}

}  // namespace lambdacast::fuzz
