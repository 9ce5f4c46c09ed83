// SPDX-License-Identifier: BSD-3-Clause
// Tables as DPDK's telemetry carries them: JSON objects in at most 16 KiB, 256 members each.
#pragma once

#include <rte_telemetry.h>

#include <cstddef>
#include <optional>

#include "telemetry/figure.h"

namespace lambdacast::telemetry {

// One row as an object, figure by figure. `data`: an object that was begun. Texts are ASCII, as
// base::ascii_escaped() writes them; what DPDK would cut of one goes on in NAME/2, NAME/3 and so
// on, up to a kilobyte.
void add_row(rte_tel_data* data, const Table& table, const std::vector<Value>& row);

// {"total": rows of the table, "rows": {"0": {...}, ...}} with the rows from `first` on, as far as
// they fit; {"next": n} is added if row n and more did not, and returned.
std::optional<size_t> reply_rows(rte_tel_data* data, const Table& table, size_t first);

// {"figure": "kind unit help"}: "counter packets Packets it took in."; "-" for no unit.
void reply_figures(rte_tel_data* data, const Table& table);

}  // namespace lambdacast::telemetry
