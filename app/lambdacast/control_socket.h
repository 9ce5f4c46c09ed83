// SPDX-License-Identifier: BSD-3-Clause
// The control socket of the process, for all of its incarnations: lambdacastctl attaches to it
// (lib/ctl), and its lines run as the console's do. Control thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "console/dispatcher.h"
#include "ctl/server.h"
#include "options.h"
#include "outputs.h"

namespace lambdacast::appliance {

class ControlSocket final : private ctl::Handler {
 public:
  // Null: the options want none, or the place that it would have by default is not to be had, which
  // is told. A path that was asked for and is not to be had is an error.
  [[nodiscard]] static base::Result<std::unique_ptr<ControlSocket>> open(const Options& options,
                                                                         Outputs& outputs);

  [[nodiscard]] int fd() const { return server_.fd(); }
  [[nodiscard]] const std::string& path() const { return server_.path(); }
  // Never waits. True: it has more to do at once.
  bool serve();
  // Somebody has asked for the end of the process.
  [[nodiscard]] bool drains() const { return drains_; }
  // Lines run there from now on; null: no endpoint runs, and the answer is `why`.
  void attach(console::Dispatcher* dispatcher, std::string why);
  void publish(const std::string& kind, const std::string& endpoint, const std::string& text);
  // The process ends with that exit code.
  void end(int exit_code);

 private:
  ControlSocket(ctl::Listener listener, Outputs& outputs);
  ctl::Outcome run(const ctl::Peer& peer, const ctl::Request& request) override;
  void log(const std::string& sentence, bool trouble) override;
  void tell(const ctl::Peer& peer, const std::string& line);

  Outputs& outputs_;
  ctl::Server server_;
  console::Dispatcher* dispatcher_ = nullptr;
  std::string why_not_ = "No endpoint runs yet.";
  bool drains_ = false;
};

}  // namespace lambdacast::appliance
