// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/connection.h"

#include <poll.h>

#include <cerrno>
#include <utility>

namespace lambdacast::ctl {
namespace {

constexpr size_t kReadBytes = 4096;
// What the kernel keeps for a client that does not read; the rest is ours to bound.
constexpr int kSocketBytes = 64 * 1024;

}  // namespace

Connection::Connection(Descriptor fd, unsigned number, Peer peer, uint64_t now_ns)
    : fd_(std::move(fd)), number_(number), peer_(std::move(peer)), moved_ns_(now_ns) {
  (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
}

bool Connection::read() {
  // A frame that is whole is taken before more is read.
  if (!outbox_.empty() || reader_.ready()) return true;
  char bytes[kReadBytes];
  const ssize_t got = ::recv(fd(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (got == 0) {
    // Unless it has closed its end as well it may read the answer to what it said last.
    pollfd state{fd(), 0, 0};
    (void)::poll(&state, 1, 0);
    closes_ = true;
    return (state.revents & (POLLHUP | POLLERR)) == 0 && (sends() || delayed_ || awaits_end_);
  }
  reader_.feed({bytes, static_cast<size_t>(got)});
  return true;
}

base::Result<std::optional<Frame>> Connection::next(uint64_t now_ns) {
  if (!takes(now_ns)) return std::nullopt;
  return reader_.next();
}

void Connection::pause(uint64_t until_ns, const Answer& answer) {
  paused_until_ns_ = until_ns;
  delayed_ = answer;
}

void Connection::end_pause(uint64_t now_ns) {
  if (!delayed_ || now_ns < paused_until_ns_) return;
  put(FrameType::kAnswer, encode(*delayed_));
  delayed_.reset();
  paused_until_ns_ = 0;
}

bool Connection::send(uint64_t now_ns) {
  end_pause(now_ns);
  for (;;) {
    if (outbox_.empty()) {
      if (greeted_) moved_ns_ = now_ns;
      if (!has_events()) return true;
      put(FrameType::kEvent, *events_->pop());
    }
    switch (outbox_.send(fd())) {
      case Outbox::Sent::kBroken:
        return false;
      case Outbox::Sent::kSome:
        moved_ns_ = now_ns;
        break;
      case Outbox::Sent::kNothing:
        return true;
    }
    if (!outbox_.empty()) return true;
  }
}

std::optional<uint64_t> Connection::stuck_since_ns() const {
  if (outbox_.empty() && greeted_) return std::nullopt;
  return moved_ns_;
}

}  // namespace lambdacast::ctl
