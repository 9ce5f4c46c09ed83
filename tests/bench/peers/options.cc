// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>

#include "message.h"
#include "peer.h"

namespace lambdacast::peers {
namespace {

constexpr int kUsage = 2;

// The first IPv4 address of an interface, or nothing.
std::string address_of(const std::string& interface) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  std::string found;
  for (const ifaddrs* i = first; i != nullptr && found.empty(); i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET || interface != i->ifa_name) {
      continue;
    }
    char text[INET_ADDRSTRLEN] = {};
    const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    found = ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text));
  }
  ::freeifaddrs(first);
  return found;
}

void add_options(CLI::App& cli, Options& o) {
  const std::map<std::string, bool> roles = {{"send", true}, {"receive", false}};
  const std::map<std::string, Settings> settings = {
      {"examples", Settings::kExamples}, {"tuned", Settings::kTuned}, {"gso", Settings::kOffload}};
  cli.add_option("role", o.sends, "send or receive")
      ->required()
      ->transform(CLI::CheckedTransformer(roles));
  cli.add_option("--interface", o.interface, "that has the group")->required();
  cli.add_option("--group", o.group, "IPv4 multicast address")->capture_default_str();
  cli.add_option("--port", o.port)->capture_default_str();
  cli.add_option("--bytes", o.bytes, "of a message")
      ->check(CLI::Range(kLeastBytes, kMostBytes))
      ->capture_default_str();
  cli.add_option("--rate", o.rate, "messages a second; 0: as fast as it can")
      ->check(CLI::Range(uint64_t{0}, uint64_t{100'000'000}))
      ->capture_default_str();
  cli.add_option("--seconds", o.seconds, "measured; 0: until --count")->capture_default_str();
  cli.add_option("--count", o.count, "messages measured; 0: until --seconds")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 32))
      ->capture_default_str();
  cli.add_option("--warm-up", o.warm_up_s, "seconds before, not measured")->capture_default_str();
  cli.add_option("--limit-mbps", o.limit_mbps,
                 "of PGM's and NORM's own rate limiter; 0: the most it takes")
      ->check(CLI::Range(0.0, 17'000.0))
      ->capture_default_str();
  cli.add_option("--quiet", o.quiet_s, "a receiver ends after so many seconds without a message")
      ->capture_default_str();
  cli.add_option("--deaf", o.deaf_s, "and after so many if it has not heard the end either")
      ->capture_default_str();
  cli.add_option("--linger", o.linger_s, "a sender repairs for so many seconds at the end")
      ->capture_default_str();
  cli.add_option("--settings", o.settings,
                 "timers as in the library's examples, or tuned; UDP only: gso")
      ->transform(CLI::CheckedTransformer(settings))
      ->default_str("examples");
  if (std::string(kPeerName) != "lambdacast") return;
  cli.add_option("--config", o.config, "TOML file of one endpoint with membership")
      ->required()
      ->check(CLI::ExistingFile);
  cli.add_flag("--coalesce", o.coalesce, "messages may share packets");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App cli(
      fmt::format("One sender or receiver of {}, for tests/bench/bench-vs-peers.", kPeerName));
  add_options(cli, options);
  try {
    cli.parse(argc, argv);
    if (options.seconds <= 0 && options.count == 0) {
      throw CLI::ValidationError("--seconds 0 needs --count");
    }
    if (options.settings == Settings::kOffload && std::string(kPeerName) != "udp") {
      throw CLI::ValidationError("--settings", "gso is UDP's alone");
    }
    options.address = address_of(options.interface);
    if (options.address.empty()) {
      throw CLI::ValidationError("--interface", options.interface + " has no IPv4 address");
    }
  } catch (const CLI::ParseError& error) {
    std::exit(cli.exit(error) == 0 ? 0 : kUsage);
  }
  return options;
}

}  // namespace lambdacast::peers
