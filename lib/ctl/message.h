// SPDX-License-Identifier: BSD-3-Clause
// What the frames of the control protocol carry. Whatever parses them takes any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lambdacast::ctl {

// The versions of the protocol that this tree speaks.
inline constexpr uint16_t kMinVersion = 1;
inline constexpr uint16_t kMaxVersion = 1;

// The greeting of either side. Its form is the same in all versions: "LCTL", the lowest and the
// highest version, two bytes each, least significant first, and the program with its version.
struct Hello {
  uint16_t min_version = kMinVersion;
  uint16_t max_version = kMaxVersion;
  std::string program;  // "lambdacast 0.1.0"; plain text of at most kMaxProgramBytes
};
inline constexpr size_t kMaxProgramBytes = 64;

[[nodiscard]] std::string encode(const Hello& hello);
[[nodiscard]] base::Result<Hello> parse_hello(std::string_view payload);
// The highest version that both speak, or a sentence that names both programs and their versions.
[[nodiscard]] base::Result<uint16_t> agree(const Hello& process, const Hello& client);

enum class Format : uint8_t { kText = 0, kJson = 1 };

// A line of the console, how its answer is to be written, and the text of the file that the line
// names, if the client is to read it. One byte of format, two of the line's length, the line, and
// the file.
struct Request {
  Format format = Format::kText;
  std::string line;  // kMaxLineBytes at most
  std::string file = {};
};
inline constexpr size_t kMaxLineBytes = 8192;

[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] base::Result<Request> parse_request(std::string_view payload);

// One byte, 0 or 1, and what there is to show; of a refusal it says what is wrong.
struct Answer {
  bool ok = true;
  std::string text;
};

[[nodiscard]] std::string encode(const Answer& answer);
[[nodiscard]] base::Result<Answer> parse_answer(std::string_view payload);

}  // namespace lambdacast::ctl
