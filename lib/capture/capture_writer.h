// SPDX-License-Identifier: BSD-3-Clause
// The thread of a capture: takes frames out of the taps' rings, puts them in the order of their
// times and writes them to the file. It is the only one that waits for a disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/counter.h"
#include "capture/capture_file.h"
#include "capture/capture_tap.h"

namespace lambdacast::capture {

class CaptureWriter {
 public:
  // `clock`: of the taps. The file has its section block and one for each of `interfaces`.
  CaptureWriter(const dpdk::TscClock& clock, std::vector<std::unique_ptr<CaptureTap>>& taps,
                size_t interfaces, CaptureFile file);
  ~CaptureWriter() { finish(); }

  // No tap is at a stage any more: writes what is left, and the interfaces' statistics. Waits.
  void finish();

  // --- anybody --------------------------------------------------------------------------------
  // Frames of an interface that are in the file, and those taken out of the rings for nothing: the
  // disk had failed.
  [[nodiscard]] uint64_t captured(size_t interface) const {
    return accounts_[interface].captured.get();
  }
  [[nodiscard]] uint64_t discarded(size_t interface) const;
  [[nodiscard]] uint64_t written_bytes() const { return written_bytes_.load(); }
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }
  // One sentence about why it failed, empty until it has.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void run();
  [[nodiscard]] bool write_what_is_there();  // was there anything?
  void take_burst(CaptureTap& tap, uint64_t published, uint64_t time_ns);
  void flush();
  void append_statistics();

  struct Account {
    base::Counter taken;  // out of the rings
    base::Counter captured;
  };

  const dpdk::TscClock& clock_;
  const uint64_t epoch_ns_;  // the clock's 0, since 1970
  const uint64_t start_ns_;  // since 1970
  std::vector<std::unique_ptr<CaptureTap>>& taps_;
  CaptureFile file_;
  std::vector<uint64_t> published_;  // of each tap, in a round
  std::vector<Account> accounts_;    // of each interface
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<bool> failed_{false};
  std::string error_;  // written before failed_
  std::mutex mutex_;
  std::condition_variable wake_;
  bool finishing_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace lambdacast::capture
