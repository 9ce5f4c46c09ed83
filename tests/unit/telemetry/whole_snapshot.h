// SPDX-License-Identifier: BSD-3-Clause
// The texts that whole_snapshot_test.cc compares with.
#pragma once

namespace lambdacast::telemetry::test {

extern const char kCountedSnapshot[];  // of a CountedSnapshot
extern const char kPolledSnapshot[];   // of endpoints that the test has polled

}  // namespace lambdacast::telemetry::test
