// SPDX-License-Identifier: BSD-3-Clause
// Device list, contexts and the table of operations.
#include "context.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "device_files.h"

namespace lambdacast::verbs {
namespace {

// What is not supported, of whatever signature: null with errno EOPNOTSUPP, or that value.
template <typename Result, typename... Arguments>
Result refused(Arguments...) {
  if constexpr (std::is_pointer_v<Result>) {
    return refuse(EOPNOTSUPP);
  } else {
    return EOPNOTSUPP;
  }
}

void fill_unsupported(verbs_context& v) {
  v.advise_mr = refused;
  v.alloc_null_mr = refused;
  v.read_counters = refused;
  v.attach_counters_point_flow = refused;
  v.create_counters = refused;
  v.destroy_counters = refused;
  v.reg_dm_mr = refused;
  v.alloc_dm = refused;
  v.free_dm = refused;
  v.modify_flow_action_esp = refused;
  v.destroy_flow_action = refused;
  v.create_flow_action_esp = refused;
  v.modify_qp_rate_limit = refused;
  v.alloc_parent_domain = refused;
  v.dealloc_td = refused;
  v.alloc_td = refused;
  v.modify_cq = refused;
  v.post_srq_ops = refused;
  v.destroy_rwq_ind_table = refused;
  v.create_rwq_ind_table = refused;
  v.destroy_wq = refused;
  v.modify_wq = refused;
  v.create_wq = refused;
  v.query_rt_values = refused;
  v.ibv_destroy_flow = refused;
  v.ibv_create_flow = refused;
  v.open_qp = refused;
  v.get_srq_num = refused;
  v.create_srq_ex = refused;
  v.open_xrcd = refused;
  v.close_xrcd = refused;
  ibv_context_ops& ops = v.context.ops;
  ops.alloc_mw = refused;
  ops.bind_mw = refused;
  ops.dealloc_mw = refused;
  ops.post_srq_recv = refused;
}

}  // namespace

void fill_operations(verbs_context& v) {
  fill_unsupported(v);
  v.sz = sizeof v;
  v.query_port = query_port;
  v.query_device_ex = query_device_ex;
  v.create_cq_ex = create_cq_ex;
  v.create_qp_ex = create_qp_ex;
  v.context.ops.poll_cq = poll_cq;
  v.context.ops.req_notify_cq = req_notify_cq;
  v.context.ops.post_send = post_send;
  v.context.ops.post_recv = post_recv;
  v.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
}

VisibleDevice& visible_device() {
  static VisibleDevice only = [] {
    VisibleDevice made{};
    made.device.node_type = IBV_NODE_CA;
    made.device.transport_type = IBV_TRANSPORT_IB;
    kDeviceName.copy(made.device.name, sizeof made.device.name - 1);
    kDeviceNode.substr(kDeviceNode.rfind('/') + 1)
        .copy(made.device.dev_name, sizeof made.device.dev_name - 1);
    std::strcpy(made.device.dev_path, "/sys/class/infiniband_verbs/uverbs-lambdacast0");
    kDeviceDirectory.copy(made.device.ibdev_path, sizeof made.device.ibdev_path - 1);
    return made;
  }();
  return only;
}

extern "C" {

ibv_device** ibv_get_device_list(int* count) {
  const int devices = device().can_be() ? 1 : 0;
  auto** list = static_cast<ibv_device**>(std::calloc(2, sizeof(ibv_device*)));
  if (list == nullptr) return refuse(ENOMEM);
  if (devices == 1) list[0] = &visible_device().device;
  if (count != nullptr) *count = devices;
  return list;
}

void ibv_free_device_list(ibv_device** list) { std::free(list); }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

int ibv_get_device_index(ibv_device*) { return 0; }

__be64 ibv_get_device_guid(ibv_device*) {
  const std::scoped_lock held(device().lock);
  return device().guid();
}

ibv_context* ibv_open_device(ibv_device* visible) {
  if (visible != &visible_device().device || !device().can_be()) return refuse(ENODEV);
  {
    const std::scoped_lock held(device().lock);
    if (!device().open()) return refuse(ENODEV);
  }
  auto* context = new Context;
  fill_operations(context->verbs);
  ibv_context& c = context->verbs.context;
  c.device = visible;
  c.cmd_fd = -1;
  c.async_fd = ::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  c.num_comp_vectors = 1;
  ::pthread_mutex_init(&c.mutex, nullptr);
  return &c;
}

int ibv_close_device(ibv_context* context) {
  if (const std::scoped_lock held(device().lock); device().usable() == 0) device().close();
  ::close(context->async_fd);
  ::pthread_mutex_destroy(&context->mutex);
  delete &context_of(context);
  return 0;
}

// The only event that happens is a completion queue's overrun: the fabric has no link to lose.
int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  for (;;) {
    uint64_t one = 0;
    if (::read(context->async_fd, &one, sizeof one) != sizeof one) return -1;
    const std::scoped_lock held(device().lock);
    std::deque<CompletionQueue*>& overruns = context_of(context).overruns;
    if (overruns.empty()) continue;  // its queue was destroyed meanwhile
    CompletionQueue& cq = *overruns.front();
    overruns.pop_front();
    ++cq.overruns_told;
    event->element.cq = cq.base();
    event->event_type = IBV_EVENT_CQ_ERR;
    return 0;
  }
}

void ibv_ack_async_event(ibv_async_event* event) {
  if (event->event_type != IBV_EVENT_CQ_ERR) return;
  ibv_cq* cq = event->element.cq;
  ::pthread_mutex_lock(&cq->mutex);
  ++cq->async_events_completed;
  ::pthread_cond_signal(&cq->cond);
  ::pthread_mutex_unlock(&cq->mutex);
}

// Without the newline at the end, and cut off where there is no room.
int ibv_read_sysfs_file(const char* directory, const char* file, char* text, size_t bytes) {
  const std::string path = std::string(directory) + '/' + file;
  if (!is_device_path(path) || device_entry(path) != DeviceEntry::kText || bytes == 0) return -1;
  std::string value = *device_text(std::string_view(path).substr(kDeviceDirectory.size() + 1));
  value.pop_back();
  const size_t copied = value.copy(text, bytes - 1);
  text[copied] = '\0';
  return static_cast<int>(copied);
}

int ibv_fork_init() { return 0; }
ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_UNNEEDED; }

ibv_context* ibv_import_device(int) { return refuse(EOPNOTSUPP); }

}  // extern "C"

}  // namespace lambdacast::verbs
