// SPDX-License-Identifier: BSD-3-Clause
// A packet capture of a running rack: what its endpoints' ports receive and transmit, as pcapng.
//
//   stage on its lcore -> CaptureTap (copy) -> ring -> CaptureWriter (thread) -> file
//
// The data path never waits for it: a frame the ring has no room for is counted and not captured.
// Start and stop reach a stage through its lcore, between two polls, so that nothing is freed that
// an lcore still uses, and a stage without capture has one branch a burst.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture_tap.h"
#include "capture/capture_writer.h"
#include "rack/rack.h"

namespace lambdacast::rack {

struct CaptureOptions {
  uint32_t snap_bytes = 0;                 // of each frame at most; 0: all of it
  std::string endpoint;                    // only this one; empty: all
  size_t buffer_bytes = size_t{64} << 20;  // of all rings together, in plain memory
};

struct CaptureReport {
  bool running = false;
  std::string path;
  uint64_t captured = 0;       // frames in the file
  uint64_t dropped = 0;        // frames it lacks: no room in a ring, or in the file system
  uint64_t written_bytes = 0;  // of the file
  std::string error;           // once the disk has failed: one sentence. The capture goes on empty
};

// Control threads only, one at a time.
class Capture {
 public:
  Capture() = default;
  ~Capture() { (void)stop(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Begins a capture of a rack that runs or is about to. The rack outlives the capture, or stop()
  // is called before. An existing file is replaced. Errors are a capture that runs already, an
  // unknown endpoint, and a file that cannot be written.
  [[nodiscard]] base::Result<void> start(Rack& rack, const std::string& path,
                                         const CaptureOptions& options = {});
  // Ends the capture and reports it. Without one that runs it reports the last one.
  CaptureReport stop();
  [[nodiscard]] CaptureReport status() const;
  [[nodiscard]] bool running() const { return rack_ != nullptr; }

 private:
  [[nodiscard]] base::Result<void> choose_endpoints(const std::string& name);
  [[nodiscard]] base::Result<void> make_taps(const CaptureOptions& options);
  [[nodiscard]] base::Result<capture::CaptureFile> make_file(const std::string& path,
                                                             uint32_t snap_bytes) const;
  void attach_taps(bool attached);

  Rack* rack_ = nullptr;           // while a capture runs
  std::vector<size_t> endpoints_;  // of the rack; one interface each
  // Two an endpoint: its receive stage's and its rate_control stage's.
  std::vector<std::unique_ptr<capture::CaptureTap>> taps_;
  std::unique_ptr<capture::CaptureWriter> writer_;
  CaptureReport last_;
};

}  // namespace lambdacast::rack
