// SPDX-License-Identifier: BSD-3-Clause
#include "control_socket.h"

#include <fmt/format.h>
#include <rte_log.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "../version_flag.h"
#include "console/json.h"
#include "ctl/socket_path.h"

namespace lambdacast::appliance {
namespace {

constexpr char kNone[] = "none";
constexpr size_t kMostEventText = 1024;  // bytes: so that what waits for a reader is bounded
// Of what a client does, these change nothing: nobody has to hear of them.
constexpr std::string_view kQuiet[] = {"show", "help", "wait", "events", "quit", "plan", "save"};

RTE_LOG_REGISTER(log_type, lambdacast.control, NOTICE);

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// A client of the socket, for one line.
class Typist final : public console::Client {
 public:
  explicit Typist(const ctl::Request& request) : request_(request) {}
  base::Result<void> load(const std::string&) override {
    return base::fail("A file is lambdacastctl's to read: lambdacastctl -f FILE.");
  }
  base::Result<std::string> read(const std::string&) override { return request_.file; }
  base::Result<void> write(const std::string&, const std::string&) override {
    return base::fail("A file is lambdacastctl's to write: lambdacastctl save FILE.");
  }
  void quit() override { outcome.then = ctl::Outcome::Then::kClose; }
  void wait(double seconds) override {
    outcome.then = ctl::Outcome::Then::kPause;
    outcome.pause_ns = static_cast<uint64_t>(seconds * 1e9);
  }
  base::Result<void> hear_events(size_t most) override {
    outcome.then = ctl::Outcome::Then::kEvents;
    outcome.queue = most;
    return {};
  }
  void drain() override { outcome.then = ctl::Outcome::Then::kEnd; }

  ctl::Outcome outcome;

 private:
  const ctl::Request& request_;
};

// "rack4.PID.sock" of processes that were killed: nobody else would remove them.
void sweep(const std::string& directory, const std::string& name) {
  const std::string prefix = directory + "/" + name + ".";
  for (const std::string& path : ctl::sockets_in(directory)) {
    const std::string_view rest =
        std::string_view(path).substr(std::min(prefix.size(), path.size()));
    if (path.starts_with(prefix) && rest.find_first_not_of("0123456789") == rest.find('.'))
      (void)ctl::Listener::open(path, {});  // removes one that nobody listens to, and its own
  }
}

// Where nobody has said where: NAME.sock, or NAME.PID.sock if another process has that.
tl::expected<ctl::Listener, ctl::Listener::Error> open_default(const std::string& name,
                                                               const ctl::SocketOwner& owner) {
  const std::string directory = ctl::socket_directory();
  if (const auto made = ctl::make_socket_directory(directory); !made) {
    return tl::unexpected(ctl::Listener::Error{ctl::Listener::Failure::kOther,
                                               "control socket: " + made.error().message});
  }
  sweep(directory, name);
  auto listener = ctl::Listener::open(directory + "/" + name + ".sock", owner);
  if (listener || listener.error().why != ctl::Listener::Failure::kInUse) return listener;
  return ctl::Listener::open(fmt::format("{}/{}.{}.sock", directory, name, ::getpid()), owner);
}

}  // namespace

base::Result<std::unique_ptr<ControlSocket>> ControlSocket::open(const Options& options,
                                                                 Outputs& outputs) {
  if (options.control_socket == kNone) return nullptr;
  const auto owner = ctl::socket_owner(options.control_owner, options.control_group);
  if (!owner) return tl::unexpected(owner.error());
  const bool asked = !options.control_socket.empty();
  auto listener = asked ? ctl::Listener::open(options.control_socket, *owner)
                        : open_default(ctl::socket_name(options.config_file), *owner);
  if (!listener && asked) return base::fail(listener.error().message);
  if (!listener) {
    outputs.complain(listener.error().message + "; it runs without one");
    return nullptr;
  }
  return std::unique_ptr<ControlSocket>(new ControlSocket(std::move(*listener), outputs));
}

ControlSocket::ControlSocket(ctl::Listener listener, Outputs& outputs)
    : outputs_(outputs), server_(std::move(listener), app::with_version("lambdacast"), *this, {}) {}

void ControlSocket::attach(console::Dispatcher* dispatcher, std::string why) {
  dispatcher_ = dispatcher;
  why_not_ = std::move(why);
}

bool ControlSocket::serve() { return server_.serve(now_ns()); }

ctl::Outcome ControlSocket::run(const ctl::Peer& peer, const ctl::Request& request) {
  if (dispatcher_ == nullptr) return {{false, why_not_ + "\n"}};
  const bool as_json = request.format == ctl::Format::kJson;
  tell(peer, request.line);
  Typist typist(request);
  console::Reply reply = dispatcher_->run(
      request.line, as_json ? console::Format::kJson : console::Format::kText, typist);
  typist.outcome.answer = {reply.ok, std::move(reply.text)};
  drains_ = drains_ || typist.outcome.then == ctl::Outcome::Then::kEnd;
  return typist.outcome;
}

// Who has changed something is told to everybody.
void ControlSocket::tell(const ctl::Peer& peer, const std::string& line) {
  const auto words = console::words_of(line);
  if (words.empty() ||
      std::find(std::begin(kQuiet), std::end(kQuiet), words[0]) != std::end(kQuiet))
    return;
  const std::string sentence =
      fmt::format("user {}, process {}: {}", peer.uid, peer.pid, base::shown(line));
  outputs_.out.print("control: " + sentence + "\n");
  publish("command", "", sentence);
}

void ControlSocket::log(const std::string& sentence, bool trouble) {
  if (trouble) return outputs_.complain(sentence);
  rte_log(RTE_LOG_INFO, static_cast<uint32_t>(log_type), "%s\n", sentence.c_str());
}

void ControlSocket::publish(const std::string& kind, const std::string& endpoint,
                            const std::string& text) {
  if (!server_.has_subscribers()) return;
  const std::string shown =
      text.size() > kMostEventText ? text.substr(0, kMostEventText) + "..." : text;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  server_.publish(console::event_json({static_cast<uint64_t>(ms), kind, endpoint, shown}));
}

void ControlSocket::end(int exit_code) {
  server_.end({exit_code == 0 || exit_code == 4,
               fmt::format("It has ended with exit code {}.\n", exit_code)},
              now_ns());
}

}  // namespace lambdacast::appliance
