// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/probe.h"

#include <rte_dev.h>
#include <sched.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <memory>

#include "dpdk/log_capture.h"

namespace lambdacast::dpdk {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;
constexpr int kAttempts = 8;

struct Call {
  const std::function<int()>& work;
  int result;
};

int run(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  call.result = call.work();
  return 0;
}

int probe_once(const std::string& device, const std::string& prefix, std::string& said) {
  LogCapture log;
  const int error = rte_dev_probe(device.c_str());
  said = error == 0 ? "" : log.sentence(prefix);
  return error;
}

bool fanout_refused(const std::string& said) {
  return said.find("could not set PACKET_FANOUT") != std::string::npos;
}

}  // namespace

int under_another_number(const std::function<int()>& work) {
  const auto stack = std::make_unique<std::byte[]>(kStackBytes);
  Call call{work, 0};
  // A signal's handler would run in both.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // This thread stands still until the other process has ended: its thread-local memory is lent.
  const int child = ::clone(run, stack.get() + kStackBytes,
                            CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_VFORK, &call);
  const int error = errno;
  // It gives no SIGCHLD at its end, so that only __WCLONE sees it.
  if (child >= 0) (void)::waitpid(child, nullptr, __WCLONE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child < 0 ? -error : call.result;
}

int probe(const std::string& device, const std::string& prefix, std::string& said) {
  int error = probe_once(device, prefix, said);
  for (int attempt = 0; attempt < kAttempts && error != 0 && fanout_refused(said); ++attempt) {
    error = under_another_number([&] { return probe_once(device, prefix, said); });
  }
  return error;
}

}  // namespace lambdacast::dpdk
