// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/log_capture.h"

#include <gtest/gtest.h>
#include <rte_log.h>

namespace lambdacast::dpdk {
namespace {

void log(const char* line) { rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "%s", line); }

TEST(LogCaptureTest, capture_several_lines__expect_the_one_with_the_prefix_without_it) {
  LogCapture capture;
  log("EAL: a layer above\n");
  log("net_odbss: p0: the cause\n");
  log("EAL: another layer\n");
  EXPECT_EQ(capture.sentence("net_odbss: p0: "), "the cause");
  EXPECT_EQ(capture.sentence("net_odbss: p0: "), "the cause");  // asking takes nothing away
}

TEST(LogCaptureTest, capture_without_the_prefix__expect_the_first_line) {
  LogCapture capture;
  log("first\n");
  log("second\n");
  EXPECT_EQ(capture.sentence("net_odbss: p0: "), "first");
}

TEST(LogCaptureTest, capture_nothing__expect_nothing) {
  LogCapture capture;
  EXPECT_EQ(capture.sentence("x"), "");
}

TEST(LogCaptureTest, end_the_capture__expect_the_log_to_go_where_it_went_before) {
  std::FILE* const before = rte_log_get_stream();
  {
    LogCapture capture;
    EXPECT_NE(rte_log_get_stream(), before);
  }
  EXPECT_EQ(rte_log_get_stream(), before);
}

TEST(LogCaptureTest, capture_twice__expect_the_second_to_know_nothing_of_the_first) {
  {
    LogCapture first;
    log("first\n");
  }
  LogCapture second;
  log("second\n");
  EXPECT_EQ(second.sentence("x"), "second");
}

}  // namespace
}  // namespace lambdacast::dpdk
