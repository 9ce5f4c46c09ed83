// SPDX-License-Identifier: BSD-3-Clause
// The figures of a running rack under /lambdacast/... in DPDK's telemetry, which dpdk-telemetry.py
// and scripts/lambdacast-exporter read:
//
//   /lambdacast/subjects                     the names that follow
//   /lambdacast/SUBJECT[,ENDPOINT[,FIRST[,SNAPSHOT]]]
//                                            its rows, from row FIRST on, of the table that has
//                                            been answered in part as SNAPSHOT
//   /lambdacast/endpoints                    the endpoints' names
//   /lambdacast/endpoint,NAME                one endpoint's figures, without rows around them
//   /lambdacast/figures,SUBJECT              kind, unit and help of each of its figures
//   /lambdacast/drop_reasons                 a sentence for each reason
//
// A table that takes several answers is made once and kept (kept_tables.h). Who names a snapshot
// that has gone is answered with null, and begins the table anew; who names none goes on in the
// newest.
//
// Counters count from the start of the process: `clear stats` of the console does not touch them.
// A wrong request is answered with null, as DPDK does.
#pragma once

#include "telemetry/snapshot.h"

namespace lambdacast::telemetry {

class Server {
 public:
  // One at a time in a process. EAL runs. DPDK has no way to take commands back: without a server
  // they answer with null.
  explicit Server(const Source& source);
  ~Server();  // waits for an answer that is being made
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
};

}  // namespace lambdacast::telemetry
