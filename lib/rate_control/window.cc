// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/window.h"

#include <algorithm>
#include <bit>

namespace lambdacast::rate_control {

namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kFirstFrames = 4;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr uint32_t kMostDoublings = 6;

}  // namespace

Window::Window(const WindowConfig& config)
    : config_(config),
      through_(config.positions),
      peers_(config.max_peers),
      window_(kFirstFrames * config.longest_frame) {
  nobody();
}

// --- what is sent --------------------------------------------------------------------------------

void Window::sent(uint64_t position, uint64_t bytes) {
  last_ = position;
  bytes_ += bytes;
  through_[position & (config_.positions - 1)] = bytes_;
  if (open_)
    heard_bytes_ = grown_bytes_ = bytes_;
  else
    under_way_ = bytes_ - heard_bytes_;
}

uint64_t Window::frames() const {
  if (open_) return kAnyNumber;
  if (under_way_ == 0) return std::max<uint64_t>(window_ / least(), 1);
  return window_ > under_way_ ? (window_ - under_way_) / least() : 0;
}

void Window::refused(uint64_t now_ns) {
  used_ = true;
  if (waits_ || frames() != 0) return;
  waits_ = true;
  waits_since_ns_ = now_ns;
}

// --- what is heard -------------------------------------------------------------------------------

void Window::status(size_t peer, const Status& said) {
  Peer& known = peers_[peer];
  const Status before = known.said;
  known.said = said;
  if (before.incarnation != said.incarnation || said.first_losses < before.first_losses) {
    known.turns = 0;
    if (slowest_ == peer) slowest_ = kNobody;
    return;
  }
  if (said.first_losses == before.first_losses) return;
  known.turns |= 1;
  if (slowest_ == kNobody || std::popcount(known.turns) > std::popcount(peers_[slowest_].turns))
    slowest_ = static_cast<uint16_t>(peer);
  // Packets that it has missed since its last status were sent behind the last reduction.
  if (slowest_ == peer && before.heard_of >= recovers_at_) reduce();
}

void Window::heard(uint64_t position, const Path& path) {
  path_ = path;
  position = std::min(position, last_);
  if (open_) {
    open_ = false;
    turn_ends_at_ = last_;
  }
  const uint64_t heard_bytes = bytes_through(position);
  if (heard_bytes > heard_bytes_) {
    waits_ = false;
    timeouts_in_a_row_ = 0;
  }
  heard_bytes_ = heard_bytes;  // less than before, if somebody has been admitted
  under_way_ = bytes_ - heard_bytes_;
  if (heard_bytes_ > grown_bytes_) {
    grow(heard_bytes_ - grown_bytes_);
    grown_bytes_ = heard_bytes_;
  }
  if (position >= turn_ends_at_) end_turn();
  pace();
}

void Window::nobody() {
  open_ = true;
  waits_ = false;
  heard_bytes_ = grown_bytes_ = bytes_;
  under_way_ = 0;
  pace();
}

uint64_t Window::deadline_ns() const {
  if (!waits_) return ~uint64_t{0};
  const uint64_t patience_ns =
      path_.round_trip_ns + 4 * path_.variation_ns + 2 * std::max<uint64_t>(path_.status_ns, 1);
  return waits_since_ns_ + (patience_ns << timeouts_in_a_row_);
}

void Window::look(uint64_t now_ns) {
  const uint64_t due_ns = deadline_ns();
  if (now_ns < due_ns) return;
  const uint64_t patience_ns = due_ns - waits_since_ns_;
  waits_ = false;
  // It comes that late only because it did not run, and what was said may wait in its port.
  if (now_ns - due_ns > patience_ns / 2) return;
  timeouts_in_a_row_ = std::min(timeouts_in_a_row_ + 1, kMostDoublings);
  ++counters_.timeouts;
  threshold_ = std::max(under_way_ / 2, 2 * least());
  begin_anew(least());
}

// --- the window ----------------------------------------------------------------------------------

// Positions that are not stable are in the ring, and nobody who is admitted has heard of less.
uint64_t Window::bytes_through(uint64_t position) const {
  const uint64_t bytes = through_[position & (config_.positions - 1)];
  return std::min(bytes, bytes_);
}

void Window::grow(uint64_t bytes) {
  if (!used_) return;
  if (window_ < threshold_) {
    window_ += std::min(bytes, threshold_ - window_);
  } else {
    credit_ += std::min(bytes, window_) * least();
    window_ += credit_ / window_;
    credit_ %= window_;
  }
  window_ = std::min(window_, kMostBytes);
}

void Window::reduce() {
  ++counters_.reductions;
  threshold_ = std::max(under_way_ / 2, 2 * least());
  begin_anew(threshold_);
}

// Bytes under way were sent by the old window, and the new one does not grow by them.
void Window::begin_anew(uint64_t window) {
  window_ = window;
  grown_bytes_ = bytes_;
  credit_ = 0;
  recovers_at_ = last_;
  pace();
}

void Window::end_turn() {
  turn_ends_at_ = last_;
  used_ = false;
  for (Peer& peer : peers_) peer.turns = static_cast<uint8_t>(peer.turns << 1);
}

// A little faster than the window alone would let it go, so that the window stays the limit.
void Window::pace() {
  Limits now;
  const uint64_t turn_ns = path_.round_trip_ns + path_.status_ns;
  if (!open_ && turn_ns != 0) {
    const uint64_t window = window_ < threshold_ ? 2 * window_ : window_ + window_ / 4;
    const auto bits = static_cast<unsigned __int128>(window) * 8 * kNsPerSecond;
    now.bits_per_second = static_cast<uint64_t>(bits / turn_ns);
    now.control_bps = kUnlimitedBps;
    now.burst_bytes = std::clamp(window_ / 2, least(), least() * config_.burst);
    now.limited_by = LimitedBy::kWindow;
  }
  if (now == limits_) return;
  limits_ = now;
  ++revision_;
}

}  // namespace lambdacast::rate_control
