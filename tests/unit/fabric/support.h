// SPDX-License-Identifier: BSD-3-Clause
// What the tests of lib/fabric share: directories that vanish, bare segments, forked processes.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "fabric/fabric.h"

namespace lambdacast::fabric::test {

// Stands for /dev/shm and a hugetlbfs mount; removed at the end.
class Directories {
 public:
  Directories() {
    std::string pattern = std::filesystem::temp_directory_path() / "lambdacast-fabric-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(root_ / "shm");
    std::filesystem::create_directory(root_ / "huge");
  }
  ~Directories() { std::filesystem::remove_all(root_); }
  Directories(const Directories&) = delete;
  Directories& operator=(const Directories&) = delete;

  [[nodiscard]] std::string shm() const { return root_ / "shm"; }
  [[nodiscard]] std::string huge() const { return root_ / "huge"; }
  [[nodiscard]] BackingDirectories plain() const { return {shm(), ""}; }
  [[nodiscard]] BackingDirectories both() const { return {shm(), huge()}; }

  // Files in both, whatever they are.
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      count += entry.is_regular_file();
    }
    return count;
  }

 private:
  std::filesystem::path root_;
};

// The memory of a fabric without its files: both ends see it at one address.
class Segment {
 public:
  explicit Segment(const Geometry& geometry)
      : geometry_(geometry),
        data_(static_cast<uint8_t*>(std::aligned_alloc(4096, geometry.segment_bytes()))) {
    std::memset(data_, 0, geometry.segment_bytes());
  }
  ~Segment() { std::free(data_); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] Transmitter transmitter(uint32_t wavelength = 0) {
    return {data_, geometry_, wavelength};
  }
  [[nodiscard]] Receiver receiver(uint32_t wavelength = 0) const {
    return {data_, geometry_, wavelength};
  }
  [[nodiscard]] uint8_t* data() { return data_; }

 private:
  Geometry geometry_;
  uint8_t* data_;
};

// Room for any frame of any geometry.
inline constexpr std::size_t kAnyFrame = kMaxFrameBytes;

// A frame whose bytes say which it is, and a check that they do.
inline uint32_t frame_length(uint64_t index, uint32_t longest) {
  return static_cast<uint32_t>(base::mix64(index) % (longest + 1));
}
inline uint8_t frame_byte(uint64_t index, uint32_t at) {
  return static_cast<uint8_t>(base::mix64(index) >> (at % 8 * 8)) ^ static_cast<uint8_t>(at);
}
inline void fill_frame(uint8_t* to, uint64_t index, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) to[i] = frame_byte(index, i);
}
inline bool is_frame(const uint8_t* frame, uint32_t bytes, uint64_t index, uint32_t longest) {
  if (bytes != frame_length(index, longest)) return false;
  for (uint32_t i = 0; i < bytes; ++i) {
    if (frame[i] != frame_byte(index, i)) return false;
  }
  return true;
}

inline void send_frame(Transmitter& transmitter) {
  const uint64_t index = transmitter.next_index();
  const uint32_t bytes = frame_length(index, transmitter.max_frame_bytes());
  fill_frame(transmitter.begin_frame(), index, bytes);
  transmitter.end_frame(bytes, 0);
}
inline void send_burst(Transmitter& transmitter, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) send_frame(transmitter);
  transmitter.end_burst();
}

// A forked process, and one byte each way to wait for. `body` runs in the child; what it returns
// is the exit code.
class Child {
 public:
  explicit Child(const std::function<int(Child&)>& body) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    const bool child = pid_ == 0;
    read_ = child ? down[0] : up[0];
    write_ = child ? up[1] : down[1];
    ::close(child ? down[1] : down[0]);
    ::close(child ? up[0] : up[1]);
    if (child) ::_exit(body(*this));
  }
  ~Child() {
    if (pid_ > 0) {
      kill(SIGKILL);
      join();
    }
    ::close(read_);
    ::close(write_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void tell() const {
    const char byte = 1;
    (void)!::write(write_, &byte, 1);
  }
  // False: the other side has gone.
  [[nodiscard]] bool wait() const {
    char byte;
    return ::read(read_, &byte, 1) == 1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill(int signal) const { ::kill(pid_, signal); }
  void stop() const {
    kill(SIGSTOP);
    int status;
    ::waitpid(pid_, &status, WUNTRACED);
  }
  // Exit code, or minus the signal that ended it.
  int join() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int read_ = -1;
  int write_ = -1;
};

}  // namespace lambdacast::fabric::test
