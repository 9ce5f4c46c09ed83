// SPDX-License-Identifier: BSD-3-Clause
// Frames of the control protocol: four bytes of length, least significant first, one byte of type,
// and that many bytes of payload. Each side bounds what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lambdacast::ctl {

enum class FrameType : uint8_t {
  kHello = 1,  // both ways, first: Hello
  kRequest,    // to the process: Request
  kAnswer,     // to the client: Answer, one a request, in their order
  kEvent,      // to the client: one JSON object
  kError,      // to the client: a sentence; the connection ends behind it
};

inline constexpr size_t kFrameHeaderBytes = 5;
inline constexpr size_t kMaxRequestBytes = size_t{256} << 10;  // payload, to the process
inline constexpr size_t kMaxAnswerBytes = size_t{4} << 20;     // payload, to the client

struct Frame {
  FrameType type = FrameType::kHello;
  std::string payload;
};

[[nodiscard]] std::string encode(FrameType type, std::string_view payload);

// Puts frames together from what is read, piece by piece.
class FrameReader {
 public:
  // `most_bytes`: of a payload.
  explicit FrameReader(size_t most_bytes) : most_bytes_(most_bytes) {}

  void feed(std::string_view bytes) { waiting_.append(bytes); }
  // The next frame; nothing: more has to come. After an error nothing that follows is a frame.
  [[nodiscard]] base::Result<std::optional<Frame>> next();
  // Has a whole frame, or an error, to give.
  [[nodiscard]] bool ready() const;
  [[nodiscard]] size_t waiting_bytes() const { return waiting_.size(); }

 private:
  [[nodiscard]] size_t length() const;  // of the next payload; its header is there

  const size_t most_bytes_;
  std::string waiting_;
};

}  // namespace lambdacast::ctl
