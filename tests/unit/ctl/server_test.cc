// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/server.h"

#include "support.h"

namespace lambdacast::ctl {
namespace server_test {

constexpr uint64_t kSecond = 1'000'000'000;

// Answers each line with itself, and does as some words say.
class Echo final : public Handler {
 public:
  Outcome run(const Peer&, const Request& request) override {
    ++runs;
    Outcome outcome{{request.line != "bad", request.line}};
    if (request.line == "quit") outcome.then = Outcome::Then::kClose;
    if (request.line == "end") outcome.then = Outcome::Then::kEnd;
    if (request.line == "events") outcome.then = Outcome::Then::kEvents, outcome.queue = 8;
    if (request.line == "wait") outcome.then = Outcome::Then::kPause, outcome.pause_ns = kSecond;
    if (request.line == "long") outcome.answer.text.assign(kMaxAnswerBytes, 'x');
    if (request.line == "much") outcome.answer.text.assign(1 << 20, 'x');
    return outcome;
  }
  void log(const std::string& sentence, bool trouble) override {
    if (trouble) troubles += sentence + ";";
  }
  int runs = 0;
  std::string troubles;
};

// The other end, which reads only when it is told to.
class End {
 public:
  explicit End(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = address_of(path);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address),
              0);
  }
  void say(FrameType type, const std::string& payload) { say(encode(type, payload)); }
  void say(const std::string& bytes) { test::write_all(fd_.get(), bytes); }
  void greet() { say(FrameType::kHello, encode(Hello{1, 1, "test"})); }
  void ask(const std::string& line) {
    say(FrameType::kRequest, encode(Request{Format::kText, line}));
  }
  // What has come: frames by the letter of their type and their payload.
  std::string heard() {
    reader_.feed(test::read_all(fd_.get()));
    std::string text;
    while (const auto frame = *reader_.next()) {
      text += "?HRAEX"[static_cast<size_t>(frame->type)];
      if (frame->type == FrameType::kAnswer) text += frame->payload[0] == 0 ? "+" : "-";
      if (frame->type != FrameType::kHello)
        text += frame->payload.substr(frame->type == FrameType::kAnswer ? 1 : 0);
      text += ";";
    }
    return text;
  }
  [[nodiscard]] bool is_let_go() {
    char byte;
    return ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
  }
  void hang_up() { const Descriptor gone = std::move(fd_); }

 private:
  Descriptor fd_;
  FrameReader reader_{2 * kMaxAnswerBytes};
};

class ServerTest : public ::testing::Test {
 protected:
  void serve() {
    while (server_.serve(now_ns_)) {
    }
  }
  // One that has greeted and been greeted.
  std::unique_ptr<End> client() {
    auto end = std::make_unique<End>(path_);
    end->greet();
    serve();
    EXPECT_EQ(end->heard(), "H;");
    return end;
  }
  [[nodiscard]] bool readable() {
    pollfd state{server_.fd(), POLLIN, 0};
    return ::poll(&state, 1, 0) == 1;
  }

  const test::Folder folder_;
  const std::string path_ = folder_ / "x.sock";
  Echo echo_;
  uint64_t now_ns_ = kSecond;
  Server server_{*Listener::open(path_, {}), "lambdacast 1", echo_, {.clients = 3}};
};

TEST_F(ServerTest, ask__expect_answers_in_order) {
  const auto end = client();
  end->ask("one");
  end->ask("bad");
  EXPECT_TRUE(readable());
  serve();
  EXPECT_EQ(end->heard(), "A+one;A-bad;");
  EXPECT_FALSE(readable());
}

TEST_F(ServerTest, ask_more_than_one_turn_has__expect_others_to_have_theirs_between) {
  const auto end = client();
  const auto other = client();
  for (int i = 0; i < 20; ++i) end->ask("x");
  other->ask("y");
  EXPECT_TRUE(server_.serve(now_ns_));
  EXPECT_EQ(echo_.runs, 9);
  EXPECT_EQ(other->heard(), "A+y;");
  serve();
  EXPECT_EQ(echo_.runs, 21);
}

TEST_F(ServerTest, greet_in_another_version__expect_an_error_that_names_both_and_the_end) {
  End end(path_);
  end.say(FrameType::kHello, encode(Hello{9, 9, "newer 2"}));
  serve();
  const std::string heard = end.heard();
  EXPECT_NE(heard.find("newer 2 speaks version 9"), std::string::npos) << heard;
  EXPECT_NE(heard.find("lambdacast 1 speaks version 1"), std::string::npos) << heard;
  EXPECT_TRUE(end.is_let_go());
  EXPECT_NE(echo_.troubles.find("newer 2"), std::string::npos);
}

TEST_F(ServerTest, say_what_is_no_frame_or_no_greeting__expect_an_error_and_the_end) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), encode(FrameType::kHello, "hello"),
        encode(FrameType::kRequest, encode(Request{Format::kText, "x"})),
        std::string("\xff\xff\xff\xff\x01", 5)}) {
    End end(path_);
    end.say(bytes);
    serve();
    EXPECT_NE(end.heard().find("X"), std::string::npos) << bytes;
    EXPECT_TRUE(end.is_let_go());
  }
  EXPECT_EQ(echo_.runs, 0);
}

TEST_F(ServerTest, ask_with_what_is_no_request__expect_an_error_and_the_end) {
  for (const std::string& bytes :
       {encode(FrameType::kRequest, ""), encode(FrameType::kAnswer, "x"),
        encode(FrameType::kRequest, encode(Request{Format::kText, "two\nlines"}))}) {
    const auto end = client();
    end->say(bytes);
    serve();
    EXPECT_EQ(end->heard().front(), 'X');
    EXPECT_TRUE(end->is_let_go());
  }
  EXPECT_EQ(echo_.runs, 0);
}

TEST_F(ServerTest, attach_more_than_allowed__expect_the_last_to_be_refused) {
  const auto one = client();
  const auto two = client();
  const auto three = client();
  End four(path_);
  serve();
  EXPECT_EQ(four.heard(), "X3 clients are attached already;");
  one->hang_up();
  serve();
  EXPECT_NE(client(), nullptr);
}

TEST_F(ServerTest, read_nothing__expect_to_be_cut_off_when_patience_ends) {
  const auto end = client();
  const auto other = client();
  end->ask("much");
  end->ask("x");
  serve();
  now_ns_ += 10 * kSecond;
  other->ask("y");
  serve();
  EXPECT_EQ(echo_.troubles, "");
  EXPECT_EQ(echo_.runs, 2);
  EXPECT_EQ(other->heard(), "A+y;");
  now_ns_ += kSecond;
  serve();
  EXPECT_NE(echo_.troubles.find("is cut off: it reads nothing"), std::string::npos);
  EXPECT_EQ(other->heard(), "");
}

TEST_F(ServerTest, connect_and_keep_silent__expect_to_be_cut_off_when_patience_ends) {
  End end(path_);
  serve();
  now_ns_ += 11 * kSecond;
  serve();
  EXPECT_NE(echo_.troubles.find("is cut off: it does not greet"), std::string::npos);
  EXPECT_EQ(end.heard(), "H;");
  EXPECT_TRUE(end.is_let_go());
}

TEST_F(ServerTest, be_idle__expect_to_stay_attached) {
  const auto end = client();
  now_ns_ += 1000 * kSecond;
  serve();
  end->ask("x");
  serve();
  EXPECT_EQ(end->heard(), "A+x;");
}

TEST_F(ServerTest, ask_for_more_than_a_frame_holds__expect_a_refusal) {
  const auto end = client();
  end->ask("long");
  serve();
  EXPECT_EQ(end->heard().substr(0, 27), "A-The answer is longer than");
}

TEST_F(ServerTest, wait__expect_the_answer_later_and_others_at_once) {
  const auto end = client();
  const auto other = client();
  end->ask("wait");
  end->ask("x");
  other->ask("y");
  serve();
  EXPECT_EQ(end->heard(), "");
  EXPECT_EQ(other->heard(), "A+y;");
  EXPECT_FALSE(readable());
  now_ns_ += kSecond;
  serve();
  EXPECT_EQ(end->heard(), "A+wait;A+x;");
}

TEST_F(ServerTest, quit__expect_the_answer_and_the_end) {
  const auto end = client();
  end->ask("quit");
  serve();
  EXPECT_EQ(end->heard(), "A+quit;");
  EXPECT_TRUE(end->is_let_go());
}

TEST_F(ServerTest, publish__expect_events_at_who_asked_for_them) {
  const auto end = client();
  const auto other = client();
  EXPECT_FALSE(server_.has_subscribers());
  end->ask("events");
  serve();
  EXPECT_TRUE(server_.has_subscribers());
  server_.publish("{}");
  serve();
  EXPECT_EQ(end->heard(), "A+events;E{};");
  EXPECT_EQ(other->heard(), "");
}

TEST_F(ServerTest, ask_for_the_end__expect_its_outcome_and_everybody_to_be_let_go) {
  const auto end = client();
  const auto other = client();
  end->ask("end");
  serve();
  EXPECT_EQ(end->heard(), "");
  server_.end({true, "ended"}, now_ns_);
  EXPECT_EQ(end->heard(), "A+ended;");
  EXPECT_TRUE(end->is_let_go());
  EXPECT_TRUE(other->is_let_go());
}

}  // namespace server_test
}  // namespace lambdacast::ctl
