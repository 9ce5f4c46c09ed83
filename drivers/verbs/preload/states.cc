// SPDX-License-Identifier: BSD-3-Clause
#include "states.h"

#include <array>
#include <cerrno>

namespace lambdacast::verbs {
namespace {

struct Step {
  ibv_qp_state from, to;
  int required, optional;
};

constexpr std::array kSteps{
    Step{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0},
    Step{IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
    Step{IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    Step{IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY},
    Step{IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
    Step{IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
};

}  // namespace

int check_step(ibv_qp_state from, ibv_qp_state to, int attributes) {
  const int given = attributes & ~IBV_QP_STATE;
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return given == 0 ? 0 : EINVAL;
  if (to == IBV_QPS_SQD) return EOPNOTSUPP;
  for (const Step& step : kSteps) {
    if (step.from != from || step.to != to) continue;
    const bool complete = (given & step.required) == step.required;
    return complete && (given & ~(step.required | step.optional)) == 0 ? 0 : EINVAL;
  }
  return EINVAL;
}

}  // namespace lambdacast::verbs
