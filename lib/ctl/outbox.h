// SPDX-License-Identifier: BSD-3-Clause
// Bytes on their way into a socket that does not block. Whoever fills it looks at empty() before,
// so that one answer waits at most.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

namespace lambdacast::ctl {

class Outbox {
 public:
  enum class Sent : uint8_t { kSome, kNothing, kBroken };

  void add(std::string_view bytes) { waiting_.append(bytes); }
  [[nodiscard]] bool empty() const { return sent_ == waiting_.size(); }
  [[nodiscard]] size_t bytes() const { return waiting_.size() - sent_; }

  // As much as the socket takes.
  Sent send(int fd) {
    const size_t before = sent_;
    while (!empty()) {
      const ssize_t sent =
          ::send(fd, waiting_.data() + sent_, bytes(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (sent < 0) return Sent::kBroken;
      sent_ += static_cast<size_t>(sent);
    }
    const bool some = sent_ != before;
    if (empty()) {
      waiting_ = {};  // an answer of megabytes does not stay for the next one
      sent_ = 0;
    }
    return some ? Sent::kSome : Sent::kNothing;
  }

 private:
  std::string waiting_;
  size_t sent_ = 0;  // of it
};

}  // namespace lambdacast::ctl
