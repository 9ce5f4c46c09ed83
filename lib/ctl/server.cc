// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/server.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/plain_text.h"

namespace lambdacast::ctl {
namespace {

constexpr uint64_t kDeafNs = 1'000'000'000;

}  // namespace

Server::Server(Listener listener, std::string program, Handler& handler, const Limits& limits)
    : listener_(std::move(listener)),
      hello_{kMinVersion, kMaxVersion, std::move(program)},
      handler_(handler),
      limits_(limits),
      poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{EPOLLIN, {.fd = listener_.fd()}};
  (void)::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, listener_.fd(), &event);
}

std::string Server::who(const Connection& client) const {
  return "control client " + std::to_string(client.number()) + " (process " +
         std::to_string(client.peer().pid) + ", user " + std::to_string(client.peer().uid) + ")";
}

bool Server::serve(uint64_t now_ns) {
  take_clients(now_ns);
  bool more = false;
  for (auto at = clients_.begin(); at != clients_.end();) {
    if (!serve(*at, now_ns) || at->over()) {
      handler_.log(who(*at) + " has gone", false);
      at = clients_.erase(at);  // closing takes it out of the set as well
      continue;
    }
    const auto stuck_ns = at->stuck_since_ns();
    if (stuck_ns && now_ns - std::min(now_ns, *stuck_ns) > limits_.patience_ns) {
      handler_.log(who(*at) + (at->has_greeted() ? " is cut off: it reads nothing"
                                                 : " is cut off: it does not greet"),
                   true);
      at = clients_.erase(at);
      continue;
    }
    more = more || at->ready(now_ns);
    watch(*at, now_ns);
    ++at;
  }
  return more;
}

// Without a descriptor for it a client stays in the kernel's queue; asked at once for ever, it
// would keep the caller busy.
void Server::take_clients(uint64_t now_ns) {
  if (now_ns < deaf_until_ns_) return;
  if (deaf_until_ns_ != 0) {
    epoll_event event{EPOLLIN, {.fd = listener_.fd()}};
    (void)::epoll_ctl(poll_.get(), EPOLL_CTL_MOD, listener_.fd(), &event);
    deaf_until_ns_ = 0;
  }
  for (size_t i = 0; i < limits_.clients; ++i) {
    Descriptor fd = listener_.accept();
    if (fd.get() >= 0) {
      admit(std::move(fd), now_ns);
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      deaf_until_ns_ = now_ns + kDeafNs;
      epoll_event event{0, {.fd = listener_.fd()}};
      (void)::epoll_ctl(poll_.get(), EPOLL_CTL_MOD, listener_.fd(), &event);
      handler_.log("no control client is taken for a second: too many files are open", true);
    }
    return;
  }
}

void Server::admit(Descriptor fd, uint64_t now_ns) {
  auto peer = peer_of(fd.get());
  if (!peer) return;
  Connection client(std::move(fd), ++last_number_, std::move(*peer), now_ns);
  const bool allowed = listener_.admits(client.peer());
  if (!allowed || clients_.size() >= limits_.clients) {
    const std::string why =
        allowed ? std::to_string(limits_.clients) + " clients are attached already"
                : "user " + std::to_string(client.peer().uid) + " is not allowed to attach";
    handler_.log(who(client) + " is refused: " + why, true);
    client.put(FrameType::kError, why);
    (void)client.send(now_ns);
    return;
  }
  handler_.log(who(client) + " has come", false);
  client.put(FrameType::kHello, encode(hello_));
  clients_.push_back(std::move(client));
  Connection& kept = clients_.back();
  epoll_event event{EPOLLIN, {.fd = kept.fd()}};
  (void)::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, kept.fd(), &event);
}

bool Server::serve(Connection& client, uint64_t now_ns) {
  if (!client.send(now_ns) || !client.read()) return false;
  for (unsigned i = 0; i < limits_.requests_a_turn; ++i) {
    auto frame = client.next(now_ns);
    if (!frame) {
      refuse(client, frame.error().message);
    } else if (!*frame) {
      break;
    } else if (!take(client, **frame, now_ns)) {
      return false;
    }
    if (!client.send(now_ns)) return false;
  }
  return true;
}

bool Server::take(Connection& client, const Frame& frame, uint64_t now_ns) {
  if (!client.has_greeted()) return greet(client, frame);
  return ask(client, frame, now_ns);
}

bool Server::greet(Connection& client, const Frame& frame) {
  if (frame.type != FrameType::kHello) {
    refuse(client, "the first frame is no greeting");
    return true;
  }
  const auto hello = parse_hello(frame.payload);
  if (!hello) {
    refuse(client, hello.error().message);
    return true;
  }
  if (const auto version = agree(hello_, *hello); !version) {
    refuse(client, version.error().message);
    return true;
  }
  client.greeted();
  return true;
}

bool Server::ask(Connection& client, const Frame& frame, uint64_t now_ns) {
  const auto request = frame.type == FrameType::kRequest
                           ? parse_request(frame.payload)
                           : base::Result<Request>(base::fail("the frame is no request"));
  if (!request) {
    refuse(client, request.error().message);
    return true;
  }
  Outcome outcome = handler_.run(client.peer(), *request);
  if (outcome.answer.text.size() >= kMaxAnswerBytes) {
    outcome.answer = {false, "The answer is longer than " + std::to_string(kMaxAnswerBytes) +
                                 " bytes; ask for one endpoint.\n"};
  }
  switch (outcome.then) {
    case Outcome::Then::kPause:
      client.pause(now_ns + outcome.pause_ns, outcome.answer);
      return true;
    case Outcome::Then::kEnd:
      client.await_end();
      return true;
    case Outcome::Then::kClose:
      client.close_when_sent();
      break;
    case Outcome::Then::kEvents:
      client.subscribe(outcome.queue);
      break;
    case Outcome::Then::kGoOn:
      break;
  }
  client.put(FrameType::kAnswer, encode(outcome.answer));
  return true;
}

void Server::refuse(Connection& client, const std::string& why) {
  handler_.log(who(client) + " is refused: " + base::shown(why), true);
  client.put(FrameType::kError, why);
  client.close_when_sent();
}

// Asks for what the client can be served with next, so that no wait ends for nothing.
void Server::watch(const Connection& client, uint64_t now_ns) {
  uint32_t wanted = client.takes(now_ns) ? uint32_t{EPOLLIN} : 0;
  if (client.sends()) wanted |= EPOLLOUT;
  epoll_event event{wanted, {.fd = client.fd()}};
  (void)::epoll_ctl(poll_.get(), EPOLL_CTL_MOD, client.fd(), &event);
}

bool Server::has_subscribers() const {
  return std::any_of(clients_.begin(), clients_.end(),
                     [](const Connection& client) { return client.subscribed(); });
}

void Server::publish(const std::string& event) {
  for (Connection& client : clients_) client.publish(event);
}

void Server::end(const Answer& answer, uint64_t now_ns) {
  for (Connection& client : clients_) {
    if (client.awaits_end()) {
      client.end_came();
      client.put(FrameType::kAnswer, encode(answer));
    }
    (void)client.send(now_ns);
  }
  clients_.clear();
}

}  // namespace lambdacast::ctl
