// SPDX-License-Identifier: BSD-3-Clause
#include "console/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace lambdacast::console {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);

// A pipe that is ready takes PIPE_BUF bytes without blocking. -1: it takes nothing any more.
ssize_t write_some(int fd, std::string_view text) {
  if (fd < 0) return -1;
  pollfd ready{fd, POLLOUT, 0};
  if (::poll(&ready, 1, 100) <= 0) return 0;
  const ssize_t written = ::write(fd, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
  if (written >= 0) return written;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

}  // namespace

struct Output::State {
  // Its own descriptor: whoever gave it may close that one while a reader stands.
  State(int to, size_t most) : fd(::fcntl(to, F_DUPFD_CLOEXEC, 0)), most_bytes(most) {}
  ~State() {
    if (fd >= 0) ::close(fd);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const int fd;
  const size_t most_bytes;
  std::mutex mutex;
  std::condition_variable changed;
  struct Text {
    std::string text;
    uint64_t tells = 0;  // so many texts that are missing before it
  };
  std::deque<Text> waiting;  // the first one is being written
  size_t bytes = 0;          // of these
  uint64_t dropped = 0;
  uint64_t untold = 0;    // of those dropped: no text that waits tells of them
  uint64_t progress = 0;  // writes that took something
  bool ending = false;
  bool given_up = false;  // what waits is not written any more
  bool idle = true;
};

Output::Output(int fd, size_t most_bytes) : state_(std::make_shared<State>(fd, most_bytes)) {
  std::thread([state = state_] { write_all(state); }).detach();
}

Output::~Output() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
  for (uint64_t before = state_->progress; !state_->idle; before = state_->progress) {
    const bool moved = state_->changed.wait_for(
        lock, kPatience, [&] { return state_->idle || state_->progress != before; });
    if (!moved) {
      state_->given_up = true;
      return;
    }
  }
}

void Output::print(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(state_->mutex);
  if (state_->bytes + text.size() > state_->most_bytes) {
    ++state_->dropped;
    ++state_->untold;
    return;
  }
  State::Text next{std::string(text), std::exchange(state_->untold, 0)};
  if (next.tells != 0)
    next.text = fmt::format("({} texts are missing here)\n", next.tells) + next.text;
  state_->bytes += next.text.size();
  state_->waiting.push_back(std::move(next));
  state_->idle = false;
  state_->changed.notify_all();
}

uint64_t Output::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

void Output::write_all(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->ending || !state->waiting.empty(); });
    if (state->waiting.empty() || state->given_up) break;
    const auto [text, tells] = std::move(state->waiting.front());
    size_t done = 0;
    ssize_t written = 0;
    while (done < text.size() && written >= 0 && !state->given_up) {
      lock.unlock();
      written = write_some(state->fd, std::string_view(text).substr(done));
      lock.lock();
      if (written > 0) {
        done += static_cast<size_t>(written);
        ++state->progress;
        state->changed.notify_all();
      }
    }
    if (done < text.size()) {
      ++state->dropped;
      state->untold += 1 + tells;
    }
    state->waiting.pop_front();
    state->bytes -= text.size();
    state->idle = state->waiting.empty();
    state->changed.notify_all();
  }
}

}  // namespace lambdacast::console
