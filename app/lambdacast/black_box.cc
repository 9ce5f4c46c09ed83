// SPDX-License-Identifier: BSD-3-Clause
#include "black_box.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace lambdacast::appliance {
namespace {

constexpr int kCrashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr char kFiguresHead[] = "\n--- figures ---\n";
constexpr char kNotesHead[] = "\n--- notes, the newest last ---\n";

std::atomic<const BlackBox*> the_box{nullptr};
std::atomic<bool> was_asked{false};

void on_crash(int signal) {
  if (const BlackBox* const box = the_box.exchange(nullptr)) box->crash(signal);
  ::raise(signal);  // SA_RESETHAND: as if nobody had handled it
}

void on_question(int) { was_asked.store(true, std::memory_order_relaxed); }

bool write_text(int file, const char* text, size_t bytes) noexcept {
  while (bytes != 0) {
    const ssize_t wrote = ::write(file, text, bytes);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text += wrote;
    bytes -= static_cast<size_t>(wrote);
  }
  return true;
}

bool write_text(int file, const char* text) noexcept {
  return write_text(file, text, std::strlen(text));
}

// strsignal() and sigabbrev_np() are not for handlers.
const char* name_of(int signal) noexcept {
  switch (signal) {
    case SIGABRT:
      return "SIGABRT";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGILL";
  }
}

}  // namespace

BlackBox::BlackBox(std::string path, std::string program)
    : path_(std::move(path)),
      head_(std::move(program) + ", process " + std::to_string(::getpid()) + ": ") {}

void BlackBox::note(std::string_view text) {
  size_t at = noted_.load(std::memory_order_relaxed);
  for (const char each : text) notes_[at++ % kNotesBytes] = each;
  noted_.store(at, std::memory_order_release);
}

void BlackBox::keep_figures(std::string_view text) {
  const size_t other = 1 - newest_.load(std::memory_order_relaxed);
  Figures& figures = figures_[other];
  figures.bytes = std::min(text.size(), kFiguresBytes);
  std::copy_n(text.begin(), figures.bytes, figures.text.begin());
  newest_.store(other, std::memory_order_release);
}

base::Result<void> BlackBox::write(const char* why) const {
  if (path_.empty()) return base::fail("there is no black box: --black-box FILE makes one");
  if (!write_all(why)) return base::fail("black box " + path_ + ": " + std::strerror(errno));
  return {};
}

void BlackBox::crash(int signal) const noexcept {
  if (!path_.empty()) (void)write_all(name_of(signal));
}

bool BlackBox::write_all(const char* why) const noexcept {
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                          S_IRUSR | S_IWUSR | S_IRGRP);
  if (file < 0) return false;
  const Figures& figures = figures_[newest_.load(std::memory_order_acquire)];
  const size_t noted = noted_.load(std::memory_order_acquire);
  const size_t next = noted % kNotesBytes;
  bool whole = write_text(file, head_.c_str(), head_.size()) && write_text(file, why) &&
               write_text(file, kFiguresHead) &&
               write_text(file, figures.text.data(), figures.bytes) && write_text(file, kNotesHead);
  if (noted > kNotesBytes)
    whole = whole && write_text(file, notes_.data() + next, kNotesBytes - next);
  whole = whole && write_text(file, notes_.data(), next);
  const int error = errno;
  ::close(file);
  errno = error;
  return whole;
}

BlackBoxSignals::BlackBoxSignals(const BlackBox& box) {
  the_box.store(&box);
  struct sigaction action = {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal : kCrashes) ::sigaction(signal, &action, nullptr);
  action.sa_handler = on_question;
  action.sa_flags = 0;  // it interrupts the wait of the control thread
  ::sigaction(SIGUSR1, &action, nullptr);
}

BlackBoxSignals::~BlackBoxSignals() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  for (const int signal : kCrashes) ::sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;  // one that comes late ends nothing
  ::sigaction(SIGUSR1, &action, nullptr);
  the_box.store(nullptr);
}

bool BlackBoxSignals::asked() { return was_asked.exchange(false, std::memory_order_relaxed); }

}  // namespace lambdacast::appliance
