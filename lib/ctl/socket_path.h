// SPDX-License-Identifier: BSD-3-Clause
// Where the control sockets of a machine are, for the process that makes one and for the tool that
// looks for it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lambdacast::ctl {

// $RUNTIME_DIRECTORY (of a service), /run/lambdacast as root, else $XDG_RUNTIME_DIR/lambdacast or
// /tmp/lambdacast-UID.
[[nodiscard]] std::string socket_directory();

// "rack4" of "/etc/lambdacast/rack4.toml": what a process is called by default.
[[nodiscard]] std::string socket_name(const std::string& config_file);

// Makes the directory, for its owner alone below /tmp; it may be there. One that somebody else
// could have put there is refused.
[[nodiscard]] base::Result<void> make_socket_directory(const std::string& directory);

// The paths of the sockets in a directory, in order of their names.
[[nodiscard]] std::vector<std::string> sockets_in(const std::string& directory);

}  // namespace lambdacast::ctl
