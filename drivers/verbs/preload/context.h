// SPDX-License-Identifier: BSD-3-Clause
// The result of ibv_open_device: a verbs_context that has all operations.
#pragma once

#include <infiniband/verbs.h>

#include <cstring>
#include <deque>

#include "device.h"

namespace lambdacast::verbs {

struct Context {
  verbs_context verbs{};                  // the program sees verbs.context
  std::deque<CompletionQueue*> overruns;  // queues whose overrun the program has not been told of
};
[[nodiscard]] inline Context& context_of(ibv_context* context) {
  return *reinterpret_cast<Context*>(verbs_get_ctx(context));
}

// The device as programs see it. libmlx5 and libefa look behind it for their own operations, to
// tell whether it is one of theirs: what they find there are zeros.
struct VisibleDevice {
  ibv_device device;
  char behind[512];
};
[[nodiscard]] VisibleDevice& visible_device();

// The operations that programs reach through inline functions of verbs.h.
void fill_operations(verbs_context& verbs);

// Operations that other files implement.
[[nodiscard]] ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes);
[[nodiscard]] ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attributes);
// The same attributes, as the extended call takes them.
[[nodiscard]] ibv_qp_init_attr_ex with_domain(const ibv_qp_init_attr& attributes, ibv_pd* pd);
void fill_extended_post(QueuePair& qp, uint64_t operations);
void fill_extended_poll(CompletionQueue& cq);
int poll_cq(ibv_cq* cq, int entries, ibv_wc* wc);
int req_notify_cq(ibv_cq* cq, int solicited_only);
int post_send(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad_wr);
int post_recv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad_wr);
int query_port(ibv_context* context, uint8_t port, ibv_port_attr* attributes, size_t bytes);
int query_device_ex(ibv_context* context, const ibv_query_device_ex_input* input,
                    ibv_device_attr_ex* attributes, size_t bytes);

inline constexpr uint64_t kExtendedOperations = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

// An enumeration as a C program may have set it: to any number, which C++ must not read as one of
// its own.
template <typename Enum>
[[nodiscard]] int number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// A null pointer, with errno set.
[[nodiscard]] inline std::nullptr_t refuse(int error) {
  errno = error;
  return nullptr;
}

}  // namespace lambdacast::verbs
