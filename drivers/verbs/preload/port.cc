// SPDX-License-Identifier: BSD-3-Clause
#include "port.h"

#include <unistd.h>

#include <ctime>

#include "wdm/channel.h"
#include "wire/roce/build.h"

namespace lambdacast::verbs {
namespace {

// A fabric that a verbs program makes: fewer wavelengths than the fabric's own default, and deeper
// rings, since perftest sends without credits and waits for ever for a frame that was lost.
constexpr uint32_t kWavelengths = 8;
constexpr uint32_t kSlots = 8192;
constexpr uint32_t kBridgedSlots = 4096;  // of the fabric between the device and a real port
constexpr uint32_t kSmallestMtu = 256;

uint64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

base::Result<std::unique_ptr<fabric::Fabric>> attach(const Settings& settings) {
  fabric::AttachOptions options;
  options.wavelengths = settings.wavelengths;
  options.slots = settings.slots;
  // What is not said is taken over from the fabric that is there; only for a new one it counts.
  if (!options.wavelengths && !options.slots) {
    options.wavelengths = kWavelengths;
    options.slots = kSlots;
    if (auto made = fabric::Fabric::attach(settings.fabric, options)) return made;
    options = {};
  }
  return fabric::Fabric::attach(settings.fabric, options);
}

}  // namespace

uint64_t measured_ticks_hz() {
  static const uint64_t hz = [] {
    constexpr uint64_t kFor = 2'000'000;
    const uint64_t start_ns = now_ns();
    const uint64_t start = __rdtsc();
    uint64_t end_ns = start_ns;
    while (end_ns - start_ns < kFor) end_ns = now_ns();
    const unsigned __int128 ticks = __rdtsc() - start;
    return static_cast<uint64_t>(ticks * 1'000'000'000 / (end_ns - start_ns));
  }();
  return hz;
}

// The fabric's files go at once: whoever is on it keeps it, and nothing is left behind by a process
// that is killed.
base::Result<std::unique_ptr<Port>> Port::open_bridged(const Settings& settings) {
  static uint32_t opened = 0;
  Settings inside = settings;
  inside.config_file.clear();
  inside.fabric = "verbs-" + std::to_string(::getpid()) + "-" + std::to_string(++opened);
  inside.wavelength = "C21";
  inside.wavelengths = 2;
  if (!inside.slots) inside.slots = kBridgedSlots;
  auto port = open(inside);
  if (!port) return port;
  auto bridge = open_bridge({settings.config_file, settings.endpoint, inside.fabric});
  if (!bridge) return tl::unexpected(bridge.error());
  (*port)->fabric_->forget_files();
  (*port)->bridge_ = std::move(*bridge);
  const uint64_t said_pps = (*port)->bridge_->facts().rate_pps;
  if (!settings.own_rate && said_pps != 0) (*port)->pace(settings.rate_bps, said_pps);
  return port;
}

base::Result<std::unique_ptr<Port>> Port::open(const Settings& settings) {
  if (!settings.config_file.empty()) return open_bridged(settings);
  auto fabric = attach(settings);
  if (!fabric) return tl::unexpected(fabric.error());
  std::unique_ptr<Port> port(new Port);
  port->generation_ = fabric::fork_generation();
  port->fabric_ = std::move(*fabric);
  const uint32_t needed = wire::kMaxFrameBytes - wire::kMaxPayloadBytes + kSmallestMtu;
  if (port->frame_bytes() < needed) {
    return base::fail("Fabric " + settings.fabric + " carries frames of " +
                      std::to_string(port->frame_bytes()) + " bytes; verbs need at least " +
                      std::to_string(needed) + ".");
  }
  if (auto claimed = port->claim(settings.wavelength); !claimed) {
    return tl::unexpected(claimed.error());
  }
  port->ticks_hz_ = measured_ticks_hz();
  port->pace(settings.rate_bps, settings.rate_pps);
  for (uint32_t i = 0; i < port->fabric_->geometry().wavelengths; ++i) {
    port->listeners_.push_back({port->fabric_->listen(i)});
  }
  return port;
}

void Port::pace(uint64_t rate_bps, uint64_t rate_pps) {
  line_ = fabric::RateQueue(rate_bps, fabric::kMaxQueueBytes, ticks_hz_);
  ticks_per_frame_ = rate_pps != 0 ? ticks_hz_ / rate_pps : 0;
}

base::Result<void> Port::claim(const std::string& channel) {
  const fabric::Geometry& geometry = fabric_->geometry();
  const wdm::Grid grid = wdm::grid_from_spacing(geometry.grid_ghz).value_or(wdm::Grid::k100GHz);
  base::Result<fabric::Transmitter> claimed = base::fail("");
  if (channel.empty()) {
    for (uint32_t i = 0; i < geometry.wavelengths && !claimed; ++i) claimed = fabric_->claim(i);
    if (!claimed) return base::fail("All wavelengths of fabric " + fabric_->name() + " are taken.");
  } else {
    const auto named = wdm::channel_from_name(channel);
    const auto index = named ? wdm::index_on(grid, *named) : std::nullopt;
    if (!index) {
      return base::fail("LAMBDACAST_WAVELENGTH=" + channel + " is no channel of fabric " +
                        fabric_->name() + "; C21 is its first.");
    }
    claimed = fabric_->claim(*index);
    if (!claimed) return tl::unexpected(claimed.error());
  }
  transmitter_ = *claimed;
  return {};
}

void Port::look_for_light(uint64_t generation) {
  lit_generation_ = generation;
  lit_.clear();
  for (Listener& listener : listeners_) {
    listener.lit = listener.lit || listener.receiver.lit();
    if (listener.lit) lit_.push_back(&listener);
  }
}

}  // namespace lambdacast::verbs
