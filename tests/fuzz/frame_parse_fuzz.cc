// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as a frame, as they are and once more with the IPv4 checksum mended.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fuzz/frame_check.h"

namespace {

void check(const uint8_t* data, size_t bytes) {
  const auto verdict = lambdacast::fuzz::check_frame(data, bytes);
  if (verdict.violated == nullptr) return;
  std::fprintf(stderr, "violated: %s\n", verdict.violated);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  check(data, bytes);
  std::vector<uint8_t> mended(data, data + bytes);
  lambdacast::fuzz::mend_ipv4_checksum(mended.data(), mended.size());
  check(mended.data(), mended.size());
  return 0;
}
