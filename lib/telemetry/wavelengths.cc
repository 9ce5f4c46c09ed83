// SPDX-License-Identifier: BSD-3-Clause
// `wavelengths`: what each endpoint hears on each wavelength of the embedded fabric that is lit: by
// an endpoint of this process, or so that frames have come.
#include <cmath>
#include <map>

#include "telemetry/subject.h"
#include "wdm/channel.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const EndpointCounts* listener;
  uint32_t index;  // of the wavelength in the fabric
  wdm::Channel channel;
  std::string transmitter;  // "-" if none of this process

  [[nodiscard]] Value count(const char* kind) const {
    return Value(listener->port.extended_or_zero("wl" + std::to_string(index) + "_" + kind));
  }
};

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint that listens."},
     [](const Row& row) { return Value(row.listener->endpoint->config().name); }},
    {{"wavelength", Kind::kLabel, Unit::kNone, "The wavelength, by its channel of ITU-T G.694.1."},
     [](const Row& row) { return Value(wdm::channel_name(row.channel)); }},
    {{"transmitter", Kind::kText, Unit::kNone, "The endpoint of this process that lights it."},
     [](const Row& row) { return Value(row.transmitter); }},
    {{"frequency", Kind::kGauge, Unit::kGigahertz, "Its frequency."},
     [](const Row& row) { return Value(uint64_t{wdm::frequency_ghz(row.channel)}); }},
    {{"length", Kind::kGauge, Unit::kPicometres, "Its length in vacuum."},
     [](const Row& row) {
       return Value(static_cast<uint64_t>(std::llround(wdm::wavelength_nm(row.channel) * 1000)));
     }},
    {{"frames", Kind::kCounter, Unit::kFrames, "Frames heard."},
     [](const Row& row) { return row.count("frames"); }},
    {{"bytes", Kind::kCounter, Unit::kBytes, "Bytes heard."},
     [](const Row& row) { return row.count("bytes"); }},
    {{"missed", Kind::kCounter, Unit::kFrames, "Frames overwritten before they were read."},
     [](const Row& row) { return row.count("missed"); }},
    {{"fault_lost", Kind::kCounter, Unit::kFrames, "Frames that an injected fault has lost."},
     [](const Row& row) { return row.count("fault_lost"); }},
};

}  // namespace

Table wavelengths_table(const Snapshot& snapshot) {
  std::map<uint32_t, std::string> transmitters;
  for (const EndpointCounts& each : snapshot.endpoints) {
    const config::Endpoint& config = each.endpoint->config();
    if (config.wavelength) transmitters[config.wavelength_index] = config.name;
  }
  if (snapshot.config == nullptr || !snapshot.config->fabric)
    return make_table(kFigures, std::vector<Row>{});
  const config::Fabric& fabric = *snapshot.config->fabric;
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    if (!each.endpoint->port().is_embedded_fabric()) continue;
    for (uint32_t index = 0; index < fabric.wavelengths; ++index) {
      const auto channel = wdm::channel_at(fabric.grid, index);
      const std::string key = "wl" + std::to_string(index) + "_frames";
      const auto lit = transmitters.find(index);
      const bool heard = each.port.extended_or_zero(key) != 0;
      if (!channel || !each.port.extended.contains(key) || (lit == transmitters.end() && !heard))
        continue;
      rows.push_back({&each, index, *channel, lit == transmitters.end() ? "-" : lit->second});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
