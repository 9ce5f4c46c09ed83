// SPDX-License-Identifier: BSD-3-Clause
// Asks this process's own telemetry, as dpdk-telemetry.py does.
#pragma once

#include <rte_eal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace lambdacast::telemetry::test {

class Client {
 public:
  Client() : fd_(::socket(AF_UNIX, SOCK_SEQPACKET, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string directory = rte_eal_get_runtime_dir();
    const std::string path = directory + "/dpdk_telemetry.v2";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (connected_) (void)receive();  // who it is
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  // Does a process other than this one listen at EAL's socket, so that ours cannot?
  [[nodiscard]] static bool taken_by_another() {
    const std::string socket = std::string(rte_eal_get_runtime_dir()) + "/dpdk_telemetry.v2";
    std::ifstream sockets("/proc/net/unix");
    std::string inode;
    for (std::string line; inode.empty() && std::getline(sockets, line);) {
      std::istringstream words(line);
      std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
      if (word.size() == 8 && word[7] == socket) inode = "socket:[" + word[6] + "]";
    }
    if (inode.empty()) return false;
    std::error_code error;
    for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
      if (std::filesystem::read_symlink(fd.path(), error) == inode) return false;
    }
    return true;
  }
  // The answer to a command with its parameters, as it came.
  [[nodiscard]] std::string ask_text(const std::string& line) {
    return ::send(fd_, line.data(), line.size(), 0) < 0 ? std::string() : receive();
  }
  // What it says.
  [[nodiscard]] nlohmann::json ask(const std::string& line) {
    const auto answer = nlohmann::json::parse(ask_text(line), nullptr, false);
    return answer.is_object() ? answer.begin().value() : answer;
  }

 private:
  std::string receive() {
    std::vector<char> buffer(64 * 1024);
    const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    return {buffer.data(), static_cast<size_t>(got < 0 ? 0 : got)};
  }
  int fd_;
  bool connected_ = false;
};

}  // namespace lambdacast::telemetry::test
