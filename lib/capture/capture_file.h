// SPDX-License-Identifier: BSD-3-Clause
// The file of a capture: whole pcapng blocks, whatever happens to the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "capture/pcapng.h"

namespace lambdacast::capture {

class CaptureFile {
 public:
  // Makes the file, or empties it. A plain file or a device; pipes would let a reader stop us. No
  // other capture is under way into it.
  [[nodiscard]] static base::Result<CaptureFile> create(const std::string& path);
  ~CaptureFile();
  CaptureFile(CaptureFile&& other) noexcept;
  CaptureFile& operator=(CaptureFile&&) = delete;

  // Whole blocks, to be appended here, go to the disk with flush().
  [[nodiscard]] pcapng::Bytes& blocks() { return blocks_; }
  // Writes blocks(), telling `landed` of each that is in the file then. If the disk takes no more,
  // the file is cut behind its last whole block and closed: an error, and another at every later
  // flush.
  [[nodiscard]] base::Result<void> flush(
      const std::function<void(const pcapng::BlockHead&)>& landed);

  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  CaptureFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  // How much of blocks() the disk took; errno_ says why it was not all.
  [[nodiscard]] size_t write_out();

  std::string path_;
  int descriptor_;
  int errno_ = 0;
  uint64_t bytes_ = 0;  // of whole blocks
  pcapng::Bytes blocks_;
};

}  // namespace lambdacast::capture
