// SPDX-License-Identifier: BSD-3-Clause
// The states of a UD queue pair and the attributes that each step takes (IBTA vol. 1, 11.2.5.2;
// ibv_modify_qp(3)). The send queue's drain state is not supported.
#pragma once

#include <infiniband/verbs.h>

namespace lambdacast::verbs {

// 0; EINVAL for a step that does not exist, or with an attribute too few or too many; EOPNOTSUPP
// for SQD.
[[nodiscard]] int check_step(ibv_qp_state from, ibv_qp_state to, int attributes);

}  // namespace lambdacast::verbs
