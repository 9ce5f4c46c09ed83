// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/log_capture.h"

#include <rte_log.h>

#include <cstdlib>
#include <sstream>

namespace lambdacast::dpdk {

LogCapture::LogCapture() : before_(rte_log_get_stream()), stream_(open_memstream(&text_, &bytes_)) {
  if (stream_ != nullptr) rte_openlog_stream(stream_);
}

LogCapture::~LogCapture() {
  rte_openlog_stream(before_);
  if (stream_ != nullptr) std::fclose(stream_);
  std::free(text_);
}

std::string LogCapture::text() {
  if (stream_ == nullptr) return {};
  std::fflush(stream_);
  return {text_, bytes_};
}

std::string LogCapture::sentence(const std::string& prefix) {
  std::istringstream lines(text());
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) return line.substr(prefix.size());
    if (first.empty()) first = line;
  }
  return first;
}

}  // namespace lambdacast::dpdk
