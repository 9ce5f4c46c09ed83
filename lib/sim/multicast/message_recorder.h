// SPDX-License-Identifier: BSD-3-Clause
// Reads which messages a data frame carries: one, a part of one, or several that share it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "sim/multicast/frame_view.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

class MessageRecorder {
 public:
  // The log outlives it.
  explicit MessageRecorder(Log& log) : log_(log) {}

  // Adds to `sent`, which has all else about this data frame already, the messages that the frame
  // carries, and notes in each of them when it was sent and at which position.
  void transmitted(const FrameView& view, SentFrame& sent);

 private:
  [[nodiscard]] std::optional<uint32_t> publication_in(uint32_t life,
                                                       std::span<const uint8_t> message) const;
  [[nodiscard]] uint32_t one_in(uint32_t life, const FrameView& view);
  [[nodiscard]] bool read_shared(const FrameView& view, SentFrame& sent);
  void note(uint32_t publication, const SentFrame& sent);

  Log& log_;
  // The publications of several packets, by life and by message number on the wire.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> long_messages_;
};

}  // namespace lambdacast::sim
