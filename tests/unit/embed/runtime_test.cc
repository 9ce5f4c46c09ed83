// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/runtime.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lambdacast {
namespace {

constexpr const char* kEndpoint =
    "[[lcore]]\nid = 0\nidle = \"sleep\"\n"
    "[[endpoint]]\nname = \"node0\"\naddress = \"10.77.0.1\"\nwavelength = \"C21\"\n";

// A file of this process, for as long as it is in scope.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(::testing::TempDir() + "embed" + std::to_string(::getpid()) + ".toml") {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::remove(path_.c_str()); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

std::string with_membership() {
  return "[fabric]\nname = \"embed" + std::to_string(::getpid()) +
         "\"\nwavelengths = 2\nslots = 1024\n" + kEndpoint +
         "membership = { enabled = true, initial_nodes = 1 }\n";
}

class Counting final : public Application, private Handlers {
 public:
  Counting(Groups& groups, std::string group) : Application(groups), group_(std::move(group)) {}

  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  template <typename Group>
  Result say(const Group& group, Completion* completion) {
    const std::vector<uint8_t> message(20, 7);
    return groups().publish(group, message, Qos::kTotallyOrdered, completion, 42);
  }
  uint32_t tick(uint64_t) override {
    ++ticks;
    return 0;
  }
  int views = 0, messages = 0, ticks = 0, ends = 0;
  uint32_t number = 0;  // of the group

 private:
  void delivered(const Delivery&, std::span<const uint8_t> message) override {
    messages += message.size() == 20 && message[0] == 7 ? 1 : 0;
  }
  void view(const GroupView& view) override {
    ++views;
    number = view.group;
  }
  void ended(End) override { ++ends; }
  const std::string group_;
};

struct Stable final : Completion {
  void stable(uint64_t token) override { tokens.push_back(token); }
  void unknown(uint64_t) override { ++unknowns; }
  std::vector<uint64_t> tokens;
  int unknowns = 0;
};

// Until the condition holds on the lcore; false: it has not within ten seconds.
template <typename Condition>
bool await(Runtime& runtime, Condition condition) {
  bool holds = false;
  for (int ms = 0; !holds && ms < 10'000 && !runtime.wait_ms(1); ++ms)
    runtime.call(0, [&] { holds = condition(); });
  return holds;
}

TEST(Runtime, open_what_is_no_configuration__expect_the_problems_of_the_file) {
  std::string problem;
  const ConfigFile file("[[endpoint]]\nnam = \"a\"\n");
  EXPECT_EQ(Runtime::open(file.path(), "test", problem), nullptr);
  EXPECT_NE(problem.find(":2: endpoint.nam"), std::string::npos) << problem;
}

TEST(Runtime, open_without_membership__expect_the_key_that_is_missing) {
  std::string problem;
  const ConfigFile file(std::string("[fabric]\nname = \"a\"\n") + kEndpoint);
  EXPECT_EQ(Runtime::open(file.path(), "test", problem), nullptr);
  EXPECT_NE(problem.find("enabled = true in its [endpoint.membership]"), std::string::npos)
      << problem;
}

// EAL starts once a process: all that needs it is one test.
TEST(Runtime, embed_an_endpoint__expect_its_application_called_until_the_end_and_again) {
  std::string problem;
  const ConfigFile file(with_membership());
  const auto runtime = Runtime::open(file.path(), "test", problem);
  ASSERT_NE(runtime, nullptr) << problem;
  EXPECT_EQ(runtime->endpoints(), 1u);
  EXPECT_THROW(runtime->add<Counting>(1, "count"), std::out_of_range);
  EXPECT_THROW(runtime->call(1, [] {}), std::out_of_range);

  for (int incarnation = 0; incarnation < 2; ++incarnation) {
    Counting& counting = runtime->add<Counting>(0, "count");
    Stable stable;
    ASSERT_TRUE(runtime->start(problem)) << problem;
    EXPECT_THROW(runtime->add<Counting>(0, "count"), std::logic_error);
    Result result = Result::kAgain;
    runtime->call(0, [&] { result = counting.join(); });
    ASSERT_EQ(result, Result::kOk);
    runtime->call(0, [&] { result = counting.join(); });
    EXPECT_EQ(result, Result::kAlreadyJoined);
    ASSERT_TRUE(await(*runtime, [&] { return counting.views == 1; }));
    runtime->call(0, [&] { result = counting.say("count", &stable); });
    EXPECT_EQ(result, Result::kOk);
    runtime->call(0, [&] { result = counting.say(counting.number, &stable); });
    EXPECT_EQ(result, Result::kOk);
    runtime->call(0, [&] { result = counting.say("nobody's", &stable); });
    EXPECT_EQ(result, Result::kUnknownGroup);
    EXPECT_TRUE(await(*runtime, [&] {
      return counting.messages == 2 && stable.tokens == std::vector<uint64_t>{42, 42};
    }));
    runtime->call(0, [&] { result = counting.leave(); });
    EXPECT_EQ(result, Result::kOk);
    EXPECT_TRUE(await(*runtime, [&] { return counting.ends == 1; }));
    EXPECT_GT(counting.ticks, 0);
    EXPECT_EQ(stable.unknowns, 0);
    runtime->stop();
    if (incarnation == 0) {
      ASSERT_TRUE(runtime->begin_again(problem)) << problem;
    }
  }
  EXPECT_FALSE(runtime->stop_came());
}

}  // namespace
}  // namespace lambdacast
