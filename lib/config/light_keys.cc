// SPDX-License-Identifier: BSD-3-Clause
// The keys of everything optical: the fabric, its coupler, an endpoint's transceiver and faults.
#include "config/member_key.h"

namespace lambdacast::config {
namespace {

constexpr std::size_t kMaxNameChars = 32;
// Below it lie the values of those who think in Mbit/s or Gbit/s.
const RangeOrZero kRate{1'000'000, 1'600'000'000'000};

bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !text.empty() && text.size() <= kMaxNameChars &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

// coupler_ports has no member default of its own: without it there are as many as wavelengths.
void store_ports(wdm::CouplerOptics& coupler, const Value& value) { assign(coupler.ports, value); }

}  // namespace

Form name_form() { return {is_name, "1 to 32 characters of A-Z a-z 0-9 _ . -"}; }

std::span<const KeyOf<Fabric>> fabric_keys() {
  using F = Fabric;
  static const KeyOf<F> keys[] = {
      key<&F::name>("name", "", name_form(),
                    "The fabric; processes that give the same name share it", Presence::kRequired),
      key<&F::wavelengths>("wavelengths", "wavelengths", Range{1, 80},
                           "Rings in the fabric's memory, so the most transmitters it can have"),
      key<&F::grid>("grid", "",
                    Words{{wdm::name(wdm::Grid::k100GHz), wdm::name(wdm::Grid::k50GHz)}},
                    "The grid of ITU-T G.694.1 that the wavelengths are on, from C21 upwards"),
      key<&F::line_rate_bps>("line_rate", "bits/s", kRate,
                             "What a wavelength carries, as Ethernet counts: with 24 bytes more a "
                             "frame; 0 is unlimited"),
      key<&F::slots>("slots", "frames", PowerOfTwo{64, 1 << 20},
                     "Frames each wavelength's ring holds: a reader that falls this far behind "
                     "loses frames"),
      key<&F::frame_bytes>("frame_bytes", "bytes", Range{1518, 9216},
                           "The longest frame; at least every path_mtu and 94 bytes of headers"),
  };
  return keys;
}

std::span<const KeyOf<wdm::CouplerOptics>> coupler_keys() {
  using C = wdm::CouplerOptics;
  static const KeyOf<C> keys[] = {
      {{"coupler_ports", "ports", Range{1, 1024}, Presence::kOptional,
        "N of the N x N coupler: each gets 1/N of the light",
        [] { return std::string("fabric.wavelengths"); }},
       store_ports,
       [](const C& coupler) { return show(coupler.ports); },
       [](const C& coupler) { return value_of(coupler.ports); }},
      key<&C::excess_db>("excess_db", "dB", RealRange{0, 30},
                         "What the coupler loses besides, on its longest path"),
      key<&C::amplifier_db>("amplifier_db", "dB", RealRange{0, 50},
                            "Gain of an amplifier behind each of its outputs"),
  };
  return keys;
}

std::span<const KeyOf<wdm::NodeOptics>> optics_keys() {
  using N = wdm::NodeOptics;
  static const KeyOf<N> keys[] = {
      key<&N::launch_dbm>("launch_dbm", "dBm", RealRange{-40, 30},
                          "Power its transmitter sends into the fiber"),
      key<&N::sensitivity_dbm>("sensitivity_dbm", "dBm", RealRange{-60, 10},
                               "The least power its receiver can read"),
      key<&N::overload_dbm>("overload_dbm", "dBm", RealRange{-40, 30},
                            "The most it bears; above sensitivity_dbm"),
      key<&N::fiber_km>("fiber_km", "km", RealRange{0, 1000}, "Fiber from it to the coupler"),
      key<&N::fiber_db_per_km>("fiber_db_per_km", "dB/km", RealRange{0, 10}, "What that loses"),
      key<&N::connectors>("connectors", "connectors", Range{0, 100},
                          "Connectors between it and the coupler, both ends included"),
      key<&N::connector_db>("connector_db", "dB", RealRange{0, 5}, "What each of them loses"),
  };
  return keys;
}

std::span<const KeyOf<fabric::FaultRates>> faults_keys() {
  using F = fabric::FaultRates;
  static const KeyOf<F> keys[] = {
      key<&F::loss>("loss", "", RealRange{0, 1}, "Probability that a frame is lost"),
      key<&F::corrupt>("corrupt", "", RealRange{0, 1}, "Probability that a frame arrives altered"),
      key<&F::duplicate>("duplicate", "", RealRange{0, 1},
                         "Probability that a frame arrives twice"),
      key<&F::burst_enter>("burst_enter", "", RealRange{0, 0.5},
                           "Probability, each frame, that a burst of loss begins"),
      key<&F::burst_leave>("burst_leave", "", RealRange{1e-6, 1},
                           "Probability, each frame, that it ends: bursts are 1/burst_leave frames "
                           "long on average"),
      key<&F::burst_loss>(
          "burst_loss", "", RealRange{0, 1},
          "Probability that a frame of a burst is lost; loss is that of the others"),
      key<&F::delay_ns>("delay_ns", "ns", Range{0, 100'000'000},
                        "How long a frame is under way; fabric.slots must hold what is"),
      key<&F::jitter_ns>("jitter_ns", "ns", Range{0, 100'000'000},
                         "Up to how much longer, frame by frame; a wavelength keeps its order"),
      key<&F::rx_rate_bps>("rx_rate", "bits/s", kRate,
                           "What the receiver takes of all wavelengths together; 0 is unlimited. "
                           "With rx_queues = \"wavelength\", the queues share it evenly"),
      {{"rx_buffer", "bytes", Range{16408, 64 << 20}, Presence::kOptional,
        "What waits for that rate at the most, in mbufs; what does not fit is lost",
        [] { return fmt::format("{}", F{}.rx_buffer_bytes); }},
       [](F& faults, const Value& value) { assign(faults.rx_buffer_bytes, value); },
       [](const F& faults) { return fmt::format("{}", faults.rx_buffer_bytes); },
       [](const F& faults) { return value_of(faults.rx_buffer_bytes); }},
      key<&F::seed>("seed", "", Range{0, INT64_MAX},
                    "Equal seeds give equal faults for equal traffic"),
  };
  return keys;
}

}  // namespace lambdacast::config
