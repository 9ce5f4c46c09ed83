// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

namespace lambdacast::capture {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;
// How long the rings may fill unattended when there was nothing to do: at 10 Gb/s, 1.25 MB.
constexpr std::chrono::milliseconds kPause{1};

uint64_t since_1970_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

CaptureWriter::CaptureWriter(const dpdk::TscClock& clock,
                             std::vector<std::unique_ptr<CaptureTap>>& taps, size_t interfaces,
                             CaptureFile file)
    : clock_(clock),
      epoch_ns_(since_1970_ns() - clock.now_ns()),
      start_ns_(since_1970_ns()),
      taps_(taps),
      file_(std::move(file)),
      published_(taps.size()),
      accounts_(interfaces),
      written_bytes_(file_.bytes()),
      thread_([this] { run(); }) {}

void CaptureWriter::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

uint64_t CaptureWriter::discarded(size_t interface) const {
  const Account& account = accounts_[interface];
  return failed() ? account.taken.get() - account.captured.get() : 0;
}

void CaptureWriter::run() {
  // Beyond a limit of the file's size write() shall fail, and not end the process.
  sigset_t limits;
  sigemptyset(&limits);
  sigaddset(&limits, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limits, nullptr);
  for (bool last = false; !last;) {
    std::unique_lock lock(mutex_);
    last = finishing_;
    lock.unlock();
    const bool moved = write_what_is_there();
    lock.lock();
    if (!moved && !last) wake_.wait_for(lock, kPause, [this] { return finishing_; });
  }
  append_statistics();
}

// Frames of one interface may come from two taps, its receiver's and its transmitter's: up to the
// time before which none of them has anything more, their frames are merged by time.
bool CaptureWriter::write_what_is_there() {
  uint64_t before_ns = clock_.now_ns();
  for (const auto& tap : taps_) before_ns = std::min(before_ns, tap->nothing_before_ns(before_ns));
  for (size_t i = 0; i < taps_.size(); ++i) published_[i] = taps_[i]->ring().published();
  bool moved = false;
  while (true) {
    size_t first = taps_.size();
    uint64_t first_ns = before_ns;
    for (size_t i = 0; i < taps_.size(); ++i) {
      const CapturedFrame* front = taps_[i]->ring().front(published_[i]);
      if (front == nullptr || front->time_ns >= first_ns) continue;
      first = i;
      first_ns = front->time_ns;
    }
    if (first == taps_.size()) break;
    take_burst(*taps_[first], published_[first], first_ns);
    moved = true;
  }
  if (moved) flush();
  return moved;
}

// The frames of a burst have one time.
void CaptureWriter::take_burst(CaptureTap& tap, uint64_t published, uint64_t time_ns) {
  CaptureRing& ring = tap.ring();
  for (const CapturedFrame* front = ring.front(published);
       front != nullptr && front->time_ns == time_ns; front = ring.front(published)) {
    accounts_[front->interface].taken.add(1);
    if (!failed()) {
      pcapng::append_packet(
          file_.blocks(),
          {front->interface, epoch_ns_ + time_ns, front->original_bytes, front->direction},
          CaptureRing::data_of(*front));
    }
    ring.pop(*front);
  }
  if (file_.blocks().size() >= kChunkBytes) flush();
}

void CaptureWriter::flush() {
  if (failed()) return;
  const auto flushed = file_.flush([this](const pcapng::BlockHead& head) {
    if (head.packet_of) accounts_[*head.packet_of].captured.add(1);
  });
  written_bytes_.store(file_.bytes());
  if (flushed) return;
  error_ = flushed.error().message;
  failed_.store(true, std::memory_order_release);
}

void CaptureWriter::append_statistics() {
  for (uint32_t i = 0; i < accounts_.size(); ++i) {
    uint64_t dropped = 0;
    for (const auto& tap : taps_) dropped += tap->dropped(i);
    pcapng::append_statistics(file_.blocks(), {i, start_ns_, since_1970_ns(),
                                               accounts_[i].taken.get() + dropped, dropped});
  }
  flush();
}

}  // namespace lambdacast::capture
