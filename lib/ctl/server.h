// SPDX-License-Identifier: BSD-3-Clause
// The control socket of a process: takes clients, their lines, and gives answers and events back.
// One thread, which is never made to wait: what a client does not read waits within bounds, and a
// client that reads nothing for a while is cut off.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "ctl/connection.h"

namespace lambdacast::ctl {

// What becomes of a request.
struct Outcome {
  enum class Then : uint8_t {
    kGoOn,
    kClose,   // the client has asked to be let go
    kPause,   // the answer goes out after pause_ns
    kEvents,  // the client hears of events from now on, queue of them at most
    kEnd,     // the answer is what the end of the process says: Server::end()
  };
  Answer answer;
  Then then = Then::kGoOn;
  uint64_t pause_ns = 0;
  size_t queue = 0;
};

// What the server is for. Its functions run within Server::serve().
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Outcome run(const Peer& peer, const Request& request) = 0;
  // Who has come and gone; `trouble`: an operator should know.
  virtual void log(const std::string& sentence, bool trouble) = 0;
};

struct Limits {
  size_t clients = 16;
  uint64_t patience_ns = 10'000'000'000;  // for one that reads nothing, or does not greet
  unsigned requests_a_turn = 8;           // of one client, before others have theirs
};

class Server {
 public:
  // `handler` outlives it. `program` is told in the greeting.
  Server(Listener listener, std::string program, Handler& handler, const Limits& limits);

  [[nodiscard]] const std::string& path() const { return listener_.path(); }
  // Readable when serve() has something to do.
  [[nodiscard]] int fd() const { return poll_.get(); }
  // Never waits. True: it has more to do at once.
  bool serve(uint64_t now_ns);
  // A JSON object, to all who hear of events.
  void publish(const std::string& event);
  [[nodiscard]] bool has_subscribers() const;
  // Answers those who have asked for the end of the process, and lets everybody go.
  void end(const Answer& answer, uint64_t now_ns);

 private:
  void take_clients(uint64_t now_ns);
  void admit(Descriptor fd, uint64_t now_ns);
  // Both: false: it is to be closed.
  [[nodiscard]] bool serve(Connection& client, uint64_t now_ns);
  [[nodiscard]] bool take(Connection& client, const Frame& frame, uint64_t now_ns);
  [[nodiscard]] bool greet(Connection& client, const Frame& frame);
  [[nodiscard]] bool ask(Connection& client, const Frame& frame, uint64_t now_ns);
  void refuse(Connection& client, const std::string& why);
  void watch(const Connection& client, uint64_t now_ns);
  [[nodiscard]] std::string who(const Connection& client) const;

  const Listener listener_;
  const Hello hello_;
  Handler& handler_;
  const Limits limits_;
  Descriptor poll_;
  std::list<Connection> clients_;
  unsigned last_number_ = 0;
  uint64_t deaf_until_ns_ = 0;  // no descriptor was left for a client
};

}  // namespace lambdacast::ctl
