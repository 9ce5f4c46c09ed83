// SPDX-License-Identifier: BSD-3-Clause
#include "console/capture.h"

#include <unistd.h>

#include "../telemetry/support.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

TEST(CaptureTest, report_a_capture__expect_numbers_with_separators) {
  rack::CaptureReport capture;
  capture.path = "x.pcapng";
  capture.captured = 1234;
  capture.written_bytes = 56789;
  EXPECT_EQ(report(capture), "captured 1,234 frames, 0 dropped, 56,789 bytes in x.pcapng\n");
}

TEST(CaptureTest, start_and_stop__expect_a_file_and_what_it_has) {
  telemetry::test::RunningRack running;
  rack::Capture capture;
  Grammar grammar(capture_commands(capture, *running.rack, running.config));
  const std::string path = ::testing::TempDir() + "capture" + std::to_string(::getpid());
  EXPECT_EQ(grammar.run("capture stop"), "No capture runs.\nusage: capture stop\n");
  EXPECT_EQ(grammar.run("capture start " + path + " node1"), "");
  EXPECT_TRUE(capture.running());
  EXPECT_NE(grammar.run("capture start " + path).find("usage: capture start FILE [ENDPOINT]"),
            std::string::npos);
  const std::string stopped = grammar.run("capture stop");  // a few heartbeats, perhaps
  EXPECT_EQ(stopped.rfind("captured ", 0), 0u) << stopped;
  EXPECT_NE(stopped.find(" frames, 0 dropped"), std::string::npos) << stopped;
  EXPECT_EQ(::access(path.c_str(), F_OK), 0);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace lambdacast::console
