// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/message.h"

#include <algorithm>

#include "base/plain_text.h"

namespace lambdacast::ctl {
namespace {

constexpr std::string_view kMagic = "LCTL";
constexpr size_t kHelloBytes = kMagic.size() + 4;  // in front of the program

void append_u16(std::string& out, uint16_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8);
}

uint16_t u16_at(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) | static_cast<uint8_t>(bytes[at + 1])
                                                                     << 8);
}

std::string versions(const Hello& hello) {
  const std::string least = std::to_string(hello.min_version);
  if (hello.min_version == hello.max_version) return "version " + least;
  return "versions " + least + " to " + std::to_string(hello.max_version);
}

}  // namespace

std::string encode(const Hello& hello) {
  std::string out(kMagic);
  append_u16(out, hello.min_version);
  append_u16(out, hello.max_version);
  return out + hello.program;
}

base::Result<Hello> parse_hello(std::string_view payload) {
  if (payload.size() < kHelloBytes || !payload.starts_with(kMagic))
    return base::fail("the greeting is none of the control protocol");
  Hello hello{u16_at(payload, kMagic.size()), u16_at(payload, kMagic.size() + 2),
              std::string(payload.substr(kHelloBytes))};
  if (hello.min_version > hello.max_version)
    return base::fail("the greeting's lowest version is above its highest");
  if (hello.program.empty() || hello.program.size() > kMaxProgramBytes ||
      !base::is_plain_text(hello.program))
    return base::fail("the greeting names no program");
  return hello;
}

base::Result<uint16_t> agree(const Hello& process, const Hello& client) {
  const uint16_t most = std::min(process.max_version, client.max_version);
  if (most >= process.min_version && most >= client.min_version) return most;
  return base::fail(client.program + " speaks " + versions(client) + " of the control protocol, " +
                    process.program + " speaks " + versions(process) +
                    "; use the lambdacastctl of that lambdacast");
}

std::string encode(const Request& request) {
  std::string out(1, static_cast<char>(request.format));
  append_u16(out, static_cast<uint16_t>(request.line.size()));
  return out + request.line + request.file;
}

base::Result<Request> parse_request(std::string_view payload) {
  constexpr size_t kHeadBytes = 3;
  if (payload.size() < kHeadBytes ||
      static_cast<uint8_t>(payload[0]) > static_cast<uint8_t>(Format::kJson))
    return base::fail("the request names no format of its answer");
  const size_t bytes = u16_at(payload, 1);
  if (bytes > kMaxLineBytes || bytes > payload.size() - kHeadBytes)
    return base::fail("the request's line does not have the length that it tells");
  Request request{static_cast<Format>(payload[0]), std::string(payload.substr(kHeadBytes, bytes)),
                  std::string(payload.substr(kHeadBytes + bytes))};
  const bool controls = std::any_of(request.line.begin(), request.line.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\t';
  });
  if (controls) return base::fail("the request is not one line of text");
  return request;
}

std::string encode(const Answer& answer) { return std::string(1, answer.ok ? 0 : 1) + answer.text; }

base::Result<Answer> parse_answer(std::string_view payload) {
  if (payload.empty() || static_cast<uint8_t>(payload[0]) > 1)
    return base::fail("the answer does not say whether the command was taken");
  return Answer{payload[0] == 0, std::string(payload.substr(1))};
}

}  // namespace lambdacast::ctl
