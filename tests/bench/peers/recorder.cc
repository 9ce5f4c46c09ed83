// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.h"

#include <cstring>

namespace lambdacast::peers {
namespace {

constexpr uint64_t kMostMessages = uint64_t{1} << 32;
constexpr size_t kReserved = size_t{1} << 26;  // 8 MiB of bits: no growth while measuring
constexpr double kNsPerSecond = 1e9;

}  // namespace

Recorder::Recorder(uint32_t bytes) : bytes_(bytes), seen_(kReserved) {}

void Recorder::receive(std::span<const std::byte> message, uint64_t now_ns) {
  Header header;
  if (message.size() != bytes_ || message.size() < sizeof(header)) {
    ++strange_;
    return;
  }
  std::memcpy(&header, message.data(), sizeof(header));
  if (header.kind == Kind::kEnd) {
    sent_ = header.number;
    return;
  }
  last_ns_ = now_ns;
  if (header.kind == Kind::kWarmUp) return;
  if (header.kind != Kind::kMeasured || header.number >= kMostMessages ||
      header.bytes != message.size() || now_ns < header.sent_ns) {
    ++strange_;
    return;
  }
  if (header.number >= seen_.size()) seen_.resize(header.number * 2);
  if (seen_[header.number]) {
    ++repeated_;
    return;
  }
  seen_[header.number] = true;
  if (header.number < next_) ++out_of_order_;
  next_ = header.number + 1;
  if (received_++ == 0) first_measured_ns_ = now_ns;
  last_measured_ns_ = now_ns;
  latency_ns_.record(now_ns - header.sent_ns);
}

double Recorder::seconds() const {
  return static_cast<double>(last_measured_ns_ - first_measured_ns_) / kNsPerSecond;
}

double Recorder::per_second() const {
  return seconds() > 0 ? static_cast<double>(received_ - 1) / seconds() : 0;
}

}  // namespace lambdacast::peers
