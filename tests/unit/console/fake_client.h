// SPDX-License-Identifier: BSD-3-Clause
// A client that writes down what commands ask of it.
#pragma once

#include <string>
#include <utility>

#include "console/client.h"

namespace lambdacast::console::test {

class FakeClient final : public Client {
 public:
  base::Result<void> load(const std::string& path) override {
    return note("load " + path), outcome();
  }
  base::Result<std::string> read(const std::string& path) override {
    if (!refusal.empty()) return base::fail(refusal);
    note("read " + path);
    return file;
  }
  base::Result<void> write(const std::string& path, const std::string& text) override {
    file = text;
    return note("write " + path), outcome();
  }
  void quit() override { note("quit"); }
  void wait(double seconds) override { note("wait " + std::to_string(seconds)); }
  base::Result<void> hear_events(size_t most) override {
    return note("events " + std::to_string(most)), outcome();
  }
  void drain() override { note("drain"); }

  // What has been asked since the last call.
  [[nodiscard]] std::string asked() { return std::exchange(asked_, {}); }

  std::string file;     // what it reads
  std::string refusal;  // the answer to everything, if not empty

 private:
  void note(const std::string& what) { asked_ += what + "; "; }
  [[nodiscard]] base::Result<void> outcome() const {
    if (refusal.empty()) return {};
    return base::fail(refusal);
  }
  std::string asked_;
};

}  // namespace lambdacast::console::test
