// SPDX-License-Identifier: BSD-3-Clause
// The other end of the control socket, as a program uses it that has nothing else to do: it waits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "ctl/address.h"
#include "ctl/frame.h"
#include "ctl/message.h"

namespace lambdacast::ctl {

class Client {
 public:
  using OnEvent = std::function<void(const std::string&)>;

  // Connects and greets. `program`: who greets.
  [[nodiscard]] static base::Result<Client> connect(const std::string& path,
                                                    const std::string& program);

  // Asks, and waits for the answer; events that come before it go to `on_event`.
  [[nodiscard]] base::Result<Answer> ask(const Request& request, const OnEvent& on_event = {});
  // Waits for the next event; nothing: the process has let us go.
  [[nodiscard]] base::Result<std::optional<std::string>> next_event();

  [[nodiscard]] const Hello& process() const { return process_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  Client(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  [[nodiscard]] base::Result<void> greet(const std::string& program);
  [[nodiscard]] base::Result<void> send(FrameType type, std::string_view payload);
  // The next frame, no error among them; nothing: the end.
  [[nodiscard]] base::Result<std::optional<Frame>> receive();

  Descriptor fd_;
  std::string path_;
  FrameReader reader_{kMaxAnswerBytes + 1};
  Hello process_;
};

}  // namespace lambdacast::ctl
