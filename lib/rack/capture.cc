// SPDX-License-Identifier: BSD-3-Clause
#include "rack/capture.h"

#include <algorithm>

#include "wdm/channel.h"

namespace lambdacast::rack {
namespace {

constexpr size_t kLeastRingBytes = size_t{256} << 10;
constexpr uint32_t kWholeFrames = 65535;

std::string description_of(const Endpoint& endpoint) {
  std::string text = "port " + endpoint.port().name();
  if (endpoint.config().wavelength) {
    text += ", wavelength " + wdm::channel_name(*endpoint.config().wavelength);
  }
  return text;
}

}  // namespace

base::Result<void> Capture::start(Rack& rack, const std::string& path,
                                  const CaptureOptions& options) {
  if (running()) {
    return base::fail("a capture into " + last_.path + " runs already; stop it first");
  }
  rack_ = &rack;
  auto ready = choose_endpoints(options.endpoint);
  if (ready) ready = make_taps(options);
  base::Result<capture::CaptureFile> file =
      ready ? make_file(path, options.snap_bytes)
            : base::Result<capture::CaptureFile>(tl::unexpected(ready.error()));
  if (!file) {
    rack_ = nullptr;
    return tl::unexpected(file.error());
  }
  last_ = {};
  last_.path = path;
  writer_ = std::make_unique<capture::CaptureWriter>(rack.clock(), taps_, endpoints_.size(),
                                                     std::move(*file));
  attach_taps(true);
  return {};
}

CaptureReport Capture::stop() {
  if (!running()) return last_;
  attach_taps(false);
  writer_->finish();
  last_ = status();
  last_.running = false;
  rack_ = nullptr;
  writer_.reset();
  taps_.clear();
  return last_;
}

CaptureReport Capture::status() const {
  CaptureReport report = last_;
  if (!running()) return report;
  report.running = true;
  report.written_bytes = writer_->written_bytes();
  for (uint32_t i = 0; i < endpoints_.size(); ++i) {
    report.captured += writer_->captured(i);
    report.dropped += writer_->discarded(i);
    for (const auto& tap : taps_) report.dropped += tap->dropped(i);
  }
  if (writer_->failed()) report.error = writer_->error();
  return report;
}

base::Result<void> Capture::choose_endpoints(const std::string& name) {
  endpoints_.clear();
  std::string known;
  for (size_t i = 0; i < rack_->size(); ++i) {
    const std::string& endpoint = rack_->endpoint(i).config().name;
    known += (known.empty() ? "" : ", ") + endpoint;
    if (name.empty() || name == endpoint) endpoints_.push_back(i);
  }
  if (!endpoints_.empty()) return {};
  return base::fail("no endpoint \"" + name + "\" to capture; there are: " + known);
}

base::Result<void> Capture::make_taps(const CaptureOptions& options) {
  std::vector<uint16_t> ports;
  for (const size_t i : endpoints_) ports.push_back(rack_->endpoint(i).port().id());
  const size_t count = 2 * endpoints_.size();
  const size_t ring_bytes = std::max(kLeastRingBytes, options.buffer_bytes / count);
  const uint32_t snap_bytes = options.snap_bytes == 0 ? kWholeFrames : options.snap_bytes;
  taps_.clear();
  while (taps_.size() < count) {
    taps_.push_back(
        std::make_unique<capture::CaptureTap>(rack_->clock(), ports, ring_bytes, snap_bytes));
    for (uint32_t i = 0; i < endpoints_.size(); ++i) {
      for (const auto& port : rack_->endpoint(endpoints_[i]).attachment().rx_ports()) {
        taps_.back()->add_port(port->id(), i);
      }
    }
    if (taps_.back()->valid()) continue;
    taps_.clear();
    return base::fail("no memory for a capture's " + std::to_string(count) + " rings of " +
                      std::to_string(ring_bytes) + " bytes; capture one endpoint only");
  }
  return {};
}

base::Result<capture::CaptureFile> Capture::make_file(const std::string& path,
                                                      uint32_t snap_bytes) const {
  auto file = capture::CaptureFile::create(path);
  if (!file) return file;
  capture::pcapng::append_section(file->blocks(), "lambdacast");
  for (const size_t i : endpoints_) {
    const Endpoint& endpoint = rack_->endpoint(i);
    capture::pcapng::append_interface(
        file->blocks(),
        {endpoint.config().name, description_of(endpoint), endpoint.port().mac(), snap_bytes});
  }
  if (auto begun = file->flush([](const capture::pcapng::BlockHead&) {}); !begun) {
    return tl::unexpected(begun.error());
  }
  return file;
}

// The lcore itself changes its stage, between two polls: behind this call it uses the tap, or has
// done with it.
void Capture::attach_taps(bool attached) {
  for (size_t i = 0; i < endpoints_.size(); ++i) {
    Endpoint& endpoint = rack_->endpoint(endpoints_[i]);
    const config::StageLcores& lcores = endpoint.config().stages;
    capture::CaptureTap* receive = attached ? taps_[2 * i].get() : nullptr;
    capture::CaptureTap* transmit = attached ? taps_[2 * i + 1].get() : nullptr;
    rack_->loop(lcores.receive).run_here([&] { endpoint.receiver().set_tap(receive); });
    rack_->loop(lcores.rate_control).run_here([&] { endpoint.transmitter().set_tap(transmit); });
  }
}

}  // namespace lambdacast::rack
