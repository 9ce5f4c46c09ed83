// SPDX-License-Identifier: BSD-3-Clause
// Finds the owner of a file and the processes that use it, for sentences that say more than
// "Permission denied". It reads /proc and is slow. A process of another PID namespace is not seen,
// unless it holds a lock of a wavelength; then it has no number.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lambdacast::fabric {

// "alice (uid 1000)", or "uid 1000" if it has no name.
[[nodiscard]] std::string user_name(uid_t uid);

// The owner of what is at the path if that is not this process's user; nothing: it is, or nothing
// is there.
[[nodiscard]] std::optional<uid_t> foreign_owner(const std::string& path);

struct FileUse {
  bool locked = false;  // by anybody
  pid_t process = 0;    // one that holds a lock; 0: not known
};
[[nodiscard]] FileUse file_use(const std::string& path);

// The process that holds the lock of a byte range (open-file description locks tell no number); 0:
// not known.
[[nodiscard]] pid_t range_holder(const std::string& path, uint64_t offset);

// Does a process have a socket of that path?
[[nodiscard]] bool socket_in_use(const std::string& path);

// Another user's file or socket as the end of a sentence: whose it is, live or stale, and the
// command that mends it; empty if it is not another's.
[[nodiscard]] std::string foreign_file_text(const std::string& path);

// "process 1234 (lambdacast)", "this process" or "a process that this one cannot see".
[[nodiscard]] std::string process_name(pid_t process);

// "sudo " where this process's user needs it to do something to another's.
[[nodiscard]] std::string with_rights();

}  // namespace lambdacast::fabric
