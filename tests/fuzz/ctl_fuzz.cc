// SPDX-License-Identifier: BSD-3-Clause
// The control protocol's parser on any bytes, in pieces of any size: no frame is longer than
// allowed, what is taken is written back the same, and how the bytes were cut makes no difference.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/plain_text.h"
#include "ctl/frame.h"
#include "ctl/message.h"
#include "fuzz_input.h"

namespace {

using namespace lambdacast::ctl;

constexpr size_t kMostBytes = 200;

void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

void check(const std::string& payload) {
  if (const auto hello = parse_hello(payload)) {
    require(encode(*hello) == payload, "a greeting is written as it was read");
    require(hello->min_version <= hello->max_version, "a greeting's versions are a range");
    require(lambdacast::base::is_plain_text(hello->program), "a program's name is plain");
    const auto version = agree({}, *hello);
    require(!version || (*version >= hello->min_version && *version <= hello->max_version &&
                         *version >= kMinVersion && *version <= kMaxVersion),
            "what is agreed on is spoken by both");
  }
  if (const auto request = parse_request(payload)) {
    require(encode(*request) == payload, "a request is written as it was read");
    require(request->line.size() <= kMaxLineBytes, "a line is no longer than allowed");
    require(request->line.find('\n') == std::string::npos, "a line is one line");
  }
  if (const auto answer = parse_answer(payload))
    require(encode(*answer) == payload, "an answer is written as it was read");
}

// The frames as bytes again, and "!" for an error, behind which nothing is read.
std::string frames_of(FrameReader& reader, bool& failed) {
  std::string out;
  while (!failed) {
    const auto frame = reader.next();
    failed = !frame;
    if (failed) return out + "!";
    if (!*frame) return out;
    require((*frame)->payload.size() <= kMostBytes, "a frame is no longer than allowed");
    check((*frame)->payload);
    out += encode((*frame)->type, (*frame)->payload);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  const std::string all(reinterpret_cast<const char*>(data), bytes);
  check(all);
  FrameReader whole(kMostBytes), pieces(kMostBytes);
  bool whole_failed = false, pieces_failed = false;
  whole.feed(all);
  const std::string once = frames_of(whole, whole_failed);
  std::string cut;
  lambdacast::test::FuzzInput input(data, bytes);
  for (size_t size = 1 + (bytes != 0 ? data[0] % 7u : 0); !input.empty() && !pieces_failed;) {
    const auto piece = input.bytes(size);
    pieces.feed({reinterpret_cast<const char*>(piece.data()), piece.size()});
    cut += frames_of(pieces, pieces_failed);
  }
  require(once == cut, "how the bytes are cut makes no difference");
  require(all.starts_with(once.substr(0, once.size() - (whole_failed ? 1 : 0))),
          "frames are written as they were read");
  return 0;
}
