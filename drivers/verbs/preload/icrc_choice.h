// SPDX-License-Identifier: BSD-3-Clause
// Which way to compute ICRCs is the fastest on this processor.
#pragma once

namespace lambdacast::verbs {

// Measures wire::icrc_methods() in less than 1 ms and puts the choice into use, the first time.
void choose_icrc();

}  // namespace lambdacast::verbs
