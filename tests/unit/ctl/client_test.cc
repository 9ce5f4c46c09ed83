// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/client.h"

#include <atomic>
#include <thread>

#include "ctl/server.h"
#include "support.h"

namespace lambdacast::ctl {
namespace {

class Echo final : public Handler {
 public:
  Outcome run(const Peer&, const Request& request) override {
    Outcome outcome{{request.line != "bad", request.line + request.file}};
    if (request.line == "quit") outcome.then = Outcome::Then::kClose;
    if (request.line == "events") outcome.then = Outcome::Then::kEvents, outcome.queue = 8;
    return outcome;
  }
  void log(const std::string&, bool) override {}
};

// A server in a thread of its own, because a client waits.
class ClientTest : public ::testing::Test {
 protected:
  ~ClientTest() override {
    ends_ = true;
    thread_.join();
  }
  void serve() {
    for (uint64_t turn = 0; !ends_; ++turn) {
      pollfd wanted{server_.fd(), POLLIN, 0};
      ::poll(&wanted, 1, 10);
      while (server_.serve(turn)) {
      }
      server_.publish("{}");
    }
  }

  const test::Folder folder_;
  const std::string path_ = folder_ / "x.sock";
  Echo echo_;
  Server server_{*Listener::open(path_, {}), "lambdacast 1", echo_, {}};
  std::atomic<bool> ends_ = false;
  std::thread thread_{[this] { serve(); }};
};

TEST_F(ClientTest, ask__expect_the_answer) {
  auto client = Client::connect(path_, "test");
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->process().program, "lambdacast 1");
  const auto answer = client->ask({Format::kText, "plan", "file"});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->ok);
  EXPECT_EQ(answer->text, "planfile");
  EXPECT_FALSE(client->ask({Format::kText, "bad"})->ok);
}

TEST_F(ClientTest, ask_for_events__expect_some) {
  auto client = Client::connect(path_, "test");
  ASSERT_TRUE(client->ask({Format::kText, "events"}));
  const auto event = client->next_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(**event, "{}");
}

TEST_F(ClientTest, quit_and_ask_again__expect_to_be_told) {
  auto client = Client::connect(path_, "test");
  ASSERT_TRUE(client->ask({Format::kText, "quit"}));
  const auto answer = client->ask({Format::kText, "x"});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find(path_), std::string::npos);
}

TEST_F(ClientTest, ask_with_a_line_or_a_file_that_is_too_long__expect_a_sentence) {
  auto client = Client::connect(path_, "test");
  EXPECT_NE(client->ask({Format::kText, std::string(9000, 'x')}).error().message.find("8192"),
            std::string::npos);
  const auto answer = client->ask({Format::kText, "plan", std::string(300'000, 'x')});
  EXPECT_NE(answer.error().message.find("a file of 300000 bytes is too long"), std::string::npos);
}

TEST(ClientWithoutServerTest, connect_where_nobody_listens__expect_sentences_that_tell_why) {
  const test::Folder folder;
  EXPECT_EQ(Client::connect(folder / "no.sock", "test").error().message,
            "no lambdacast has the control socket " + (folder / "no.sock"));
  {
    const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    const auto address = address_of(folder / "stale.sock");
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  }
  EXPECT_NE(Client::connect(folder / "stale.sock", "test").error().message.find("nobody listens"),
            std::string::npos);
  EXPECT_FALSE(Client::connect("", "test"));
}

TEST(ClientWithoutServerTest, connect_to_what_is_no_lambdacast__expect_a_sentence) {
  const test::Folder folder;
  const auto listener = Listener::open(folder / "x.sock", {});
  std::thread other([&] {
    pollfd wanted{listener->fd(), POLLIN, 0};
    ::poll(&wanted, 1, 10'000);
    const Descriptor client = listener->accept();
    test::write_all(client.get(), "SSH-2.0-x\r\n");
  });
  const auto client = Client::connect(folder / "x.sock", "test");
  other.join();
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().message.find("no peer of the control protocol"), std::string::npos)
      << client.error().message;
}

}  // namespace
}  // namespace lambdacast::ctl
