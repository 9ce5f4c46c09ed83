// SPDX-License-Identifier: BSD-3-Clause
// The kernel's side of the exchange: a libibverbs program with UD queue pairs that does what it is
// told, a line at a time, and answers each line with one. Bytes are hexadecimal, '-' is none.
//
//   kernel_peer PORT            a virtio port: commands come from it, answers go to it; or -,
//                               standard input and output
//   qp GID QKEY PSN             -> qp INDEX QPN               a queue pair with that source address
//   attach INDEX GID            -> ok                         and joins the IP group (see below)
//   send INDEX GID QPN QKEY SOLICITED IMMEDIATE BYTES -> ok | failed STATUS
//   take INDEX MILLISECONDS     -> received BYTES GRH SOURCE_QPN IMMEDIATE | failed STATUS |
//                                  nothing
//   run COMMAND                 -> ok | failed ...            by the shell
//   read FILE                   -> read BYTES                 all of it
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kDepth = 64;  // posted receives of a queue pair
constexpr uint32_t kGrhBytes = 40;
constexpr uint32_t kSlotBytes = kGrhBytes + 4096;
constexpr uint64_t kSendId = kDepth;  // the slot behind the receives
// An integer: the macro ibv_reg_mr mixes it with flags of another enumeration.
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE;
constexpr auto kGidPatience = std::chrono::seconds(10);

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

ibv_gid parse_gid(const std::string& text) {
  ibv_gid gid{};
  if (inet_pton(AF_INET6, text.c_str(), gid.raw) != 1) fail("no GID: " + text);
  return gid;
}

std::string hex(const uint8_t* bytes, size_t count) {
  if (count == 0) return "-";
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::vector<uint8_t> parse_hex(const std::string& text) {
  std::vector<uint8_t> bytes;
  if (text == "-") return bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

uint32_t number(const std::string& text) {
  return static_cast<uint32_t>(std::stoul(text, nullptr, 0));
}

// rdma_rxe of Linux 6.1 sets the Ethernet filter only: without an IP-level membership the packets
// are dropped by the machine's IP stack. The socket stays open for as long as the program lives.
void join_ip_group(const ibv_gid& gid) {
  const unsigned interface = if_nametoindex("eth0");
  in6_addr address;
  std::memcpy(&address, gid.raw, sizeof address);
  int error = 0;
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    ip_mreqn request{};
    std::memcpy(&request.imr_multiaddr, gid.raw + 12, 4);
    request.imr_ifindex = static_cast<int>(interface);
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    error = setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
  } else {
    ipv6_mreq request{};
    request.ipv6mr_multiaddr = address;
    request.ipv6mr_interface = interface;
    const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    error = setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof request);
  }
  if (error != 0) fail(std::string("no IP membership: ") + std::strerror(errno));
}

class Device {
 public:
  Device() {
    int count = 0;
    ibv_device** list = ibv_get_device_list(&count);
    if (list == nullptr || count == 0) fail("no RDMA device");
    context = ibv_open_device(list[0]);
    if (context == nullptr) fail("the device does not open");
    pd = ibv_alloc_pd(context);
    if (pd == nullptr) fail("no protection domain");
  }

  // The kernel fills the table behind the addresses' back: waits for the entry.
  [[nodiscard]] int gid_index(const ibv_gid& wanted) const {
    const auto deadline = Clock::now() + kGidPatience;
    while (Clock::now() < deadline) {
      for (int i = 0; i < 16; ++i) {
        ibv_gid gid{};
        if (ibv_query_gid(context, 1, i, &gid) == 0 && std::memcmp(&gid, &wanted, 16) == 0) {
          return i;
        }
      }
    }
    fail("the device has no such GID");
  }

  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
};

class QueuePair {
 public:
  QueuePair(Device& device, const ibv_gid& gid, uint32_t qkey, uint32_t psn)
      : device_(device), gid_index_(device.gid_index(gid)), memory_((kDepth + 1) * kSlotBytes) {
    cq_ = ibv_create_cq(device.context, 2 * kDepth, nullptr, nullptr, 0);
    mr_ = ibv_reg_mr(device.pd, memory_.data(), memory_.size(), kAccess);
    if (cq_ == nullptr || mr_ == nullptr) fail("no completion queue or memory region");
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq_;
    init.qp_type = IBV_QPT_UD;
    init.cap = {kDepth, kDepth, 1, 1, 0};
    qp_ = ibv_create_qp(device.pd, &init);
    if (qp_ == nullptr) fail("no queue pair");
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.port_num = 1;
    attributes.qkey = qkey;
    modify(attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
    attributes.qp_state = IBV_QPS_RTR;
    modify(attributes, IBV_QP_STATE);
    attributes.qp_state = IBV_QPS_RTS;
    attributes.sq_psn = psn;
    modify(attributes, IBV_QP_STATE | IBV_QP_SQ_PSN);
    for (uint32_t slot = 0; slot < kDepth; ++slot) post_receive(slot);
  }

  [[nodiscard]] uint32_t number() const { return qp_->qp_num; }

  void attach(const ibv_gid& group) {
    if (ibv_attach_mcast(qp_, &group, 0) != 0) fail("ibv_attach_mcast");
    join_ip_group(group);
  }

  // "ok", or what became of it.
  std::string send(const ibv_gid& gid, uint32_t qpn, uint32_t qkey, bool solicited,
                   const std::string& immediate, const std::vector<uint8_t>& bytes) {
    ibv_ah_attr attributes{};
    attributes.is_global = 1;
    attributes.port_num = 1;
    attributes.grh.dgid = gid;
    attributes.grh.sgid_index = static_cast<uint8_t>(gid_index_);
    attributes.grh.hop_limit = 64;
    ibv_ah* ah = ibv_create_ah(device_.pd, &attributes);
    if (ah == nullptr) return std::string("failed no address handle: ") + std::strerror(errno);
    std::copy(bytes.begin(), bytes.end(), slot(kSendId));
    ibv_sge piece = piece_of(kSendId, static_cast<uint32_t>(bytes.size()));
    ibv_send_wr request{};
    request.wr_id = kSendId;
    request.sg_list = &piece;
    request.num_sge = bytes.empty() ? 0 : 1;
    request.opcode = immediate == "-" ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
    if (immediate != "-") request.imm_data = htonl(::number(immediate));
    request.send_flags = IBV_SEND_SIGNALED | (solicited ? unsigned{IBV_SEND_SOLICITED} : 0u);
    request.wr.ud.ah = ah;
    request.wr.ud.remote_qpn = qpn;
    request.wr.ud.remote_qkey = qkey;
    ibv_send_wr* bad = nullptr;
    if (const int error = ibv_post_send(qp_, &request, &bad); error != 0) {
      ibv_destroy_ah(ah);
      return std::string("failed ibv_post_send: ") + std::strerror(error);
    }
    while (!sent_) poll();
    sent_ = false;
    ibv_destroy_ah(ah);
    return send_status_ == IBV_WC_SUCCESS
               ? "ok"
               : std::string("failed ") + ibv_wc_status_str(send_status_);
  }

  // What it has received next, waiting for it if need be.
  std::string take(uint32_t milliseconds) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
    do {
      poll();
    } while (first_ == received_.size() && Clock::now() < deadline);
    return first_ == received_.size() ? "nothing" : std::move(received_[first_++]);
  }

 private:
  void modify(ibv_qp_attr& attributes, int mask) {
    if (ibv_modify_qp(qp_, &attributes, mask) != 0) fail("ibv_modify_qp");
  }
  [[nodiscard]] uint8_t* slot(uint64_t index) { return memory_.data() + index * kSlotBytes; }
  [[nodiscard]] ibv_sge piece_of(uint64_t index, uint32_t bytes) {
    return {reinterpret_cast<uintptr_t>(slot(index)), bytes, mr_->lkey};
  }

  void post_receive(uint64_t index) {
    ibv_sge piece = piece_of(index, kSlotBytes);
    ibv_recv_wr request{};
    request.wr_id = index;
    request.sg_list = &piece;
    request.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    ibv_post_recv(qp_, &request, &bad);
  }

  void poll() {
    ibv_wc completion;
    while (ibv_poll_cq(cq_, 1, &completion) > 0) {
      if (completion.wr_id == kSendId) {
        sent_ = true;
        send_status_ = completion.status;
      } else if (completion.status != IBV_WC_SUCCESS) {
        received_.push_back(std::string("failed ") + ibv_wc_status_str(completion.status));
      } else {
        const uint8_t* bytes = slot(completion.wr_id);
        const bool immediate = (completion.wc_flags & IBV_WC_WITH_IMM) != 0;
        received_.push_back(
            "received " + hex(bytes + kGrhBytes, completion.byte_len - kGrhBytes) + " " +
            hex(bytes, kGrhBytes) + " " + std::to_string(completion.src_qp) + " " +
            (immediate ? std::to_string(ntohl(completion.imm_data)) : std::string("-")));
        post_receive(completion.wr_id);
      }
    }
  }

  Device& device_;
  int gid_index_;
  std::vector<uint8_t> memory_;
  ibv_cq* cq_ = nullptr;
  ibv_mr* mr_ = nullptr;
  ibv_qp* qp_ = nullptr;
  std::vector<std::string> received_;  // answers to take
  size_t first_ = 0;                   // of those not taken yet
  bool sent_ = false;
  ibv_wc_status send_status_ = IBV_WC_SUCCESS;
};

class Peer {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    const std::string command = word(words);
    if (command == "qp") {
      const ibv_gid gid = parse_gid(word(words));
      const uint32_t qkey = number(word(words));
      queue_pairs_.push_back(std::make_unique<QueuePair>(device_, gid, qkey, number(word(words))));
      return "qp " + std::to_string(queue_pairs_.size() - 1) + " " +
             std::to_string(queue_pairs_.back()->number());
    }
    if (command == "run") {
      const int status = std::system(line.substr(4).c_str());
      return status == 0 ? "ok" : "failed status " + std::to_string(status);
    }
    if (command == "read") {
      std::ifstream file(word(words), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      return "read " + hex(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
    QueuePair& qp = *queue_pairs_.at(number(word(words)));
    if (command == "attach") {
      qp.attach(parse_gid(word(words)));
      return "ok";
    }
    if (command == "send") {
      const ibv_gid gid = parse_gid(word(words));
      const uint32_t qpn = number(word(words));
      const uint32_t qkey = number(word(words));
      const bool solicited = word(words) == "1";
      const std::string immediate = word(words);
      return qp.send(gid, qpn, qkey, solicited, immediate, parse_hex(word(words)));
    }
    return command == "take" ? qp.take(number(word(words))) : "failed no such command: " + command;
  }

 private:
  static std::string word(std::istringstream& words) {
    std::string next;
    if (!(words >> next)) fail("the command is too short");
    return next;
  }

  Device device_;
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;
};

}  // namespace

int main(int argc, char** argv) {
  // A virtio port opens once only; a stream reads or writes, not both.
  const bool standard = argc == 2 && std::string(argv[1]) == "-";
  const int fd = argc == 2 && !standard ? open(argv[1], O_RDWR) : -1;
  if (fd < 0 && !standard) {
    std::fprintf(stderr, "usage: kernel_peer PORT\n");
    return 2;
  }
  FILE* commands = standard ? stdin : fdopen(fd, "r");
  FILE* answers = standard ? stdout : fdopen(dup(fd), "w");
  const auto say = [&](const std::string& line) {
    std::fprintf(answers, "%s\n", line.c_str());
    std::fflush(answers);
  };
  std::unique_ptr<Peer> peer;
  try {
    peer = std::make_unique<Peer>();
    say("ready");
  } catch (const std::exception& error) {
    say(std::string("failed ") + error.what());
    return 1;
  }
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t length = 0; (length = getline(&line, &capacity, commands)) > 0;) {
    try {
      say(peer->answer(std::string(line, static_cast<size_t>(length - 1))));
    } catch (const std::exception& error) {
      say(std::string("failed ") + error.what());
    }
  }
  return 0;
}
