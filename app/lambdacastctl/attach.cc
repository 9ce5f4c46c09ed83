// SPDX-License-Identifier: BSD-3-Clause
#include "attach.h"

#include <optional>
#include <utility>

#include "../version_flag.h"
#include "ctl/socket_path.h"

namespace lambdacast::ctl_tool {

base::Result<ctl::Client> attach(const std::string& socket) {
  const std::string us = app::with_version("lambdacastctl");
  if (!socket.empty()) return ctl::Client::connect(socket, us);
  const std::string directory = ctl::socket_directory();
  std::optional<ctl::Client> found;
  std::string names, trouble;
  size_t count = 0;
  for (const std::string& path : ctl::sockets_in(directory)) {
    auto client = ctl::Client::connect(path, us);
    if (!client) {
      trouble = client.error().message;
      continue;
    }
    names += (names.empty() ? "" : ", ") + path;
    ++count;
    found.emplace(std::move(*client));
  }
  if (count > 1) return base::fail("several lambdacast run: --socket PATH says which: " + names);
  if (found) return std::move(*found);
  if (!trouble.empty()) return base::fail(trouble);
  return base::fail("no lambdacast has a control socket in " + directory +
                    "; --socket PATH names another place");
}

}  // namespace lambdacast::ctl_tool
