// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/client.h"

#include <cerrno>

namespace lambdacast::ctl {
namespace {

std::string why_not(int error, const std::string& path) {
  switch (error) {
    case ENOENT:
      return "no lambdacast has the control socket " + path;
    case ECONNREFUSED:
      return "nobody listens at " + path + ": its lambdacast has ended without removing it";
    case EACCES:
    case EPERM:
      return "control socket " + path +
             " is not for this user; its owner and group may attach (--control-owner, "
             "--control-group of lambdacast)";
    case EAGAIN:
      return "control socket " + path + " has too many clients that wait; try again";
    default:
      return "control socket " + path + ": " + std::strerror(error);
  }
}

}  // namespace

base::Result<Client> Client::connect(const std::string& path, const std::string& program) {
  const auto address = address_of(path);
  if (!address) {
    return base::fail("--socket " + path + " is no path of a socket; allowed: 1 to " +
                      std::to_string(kMaxPathBytes) + " bytes");
  }
  Client client(Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), path);
  if (::connect(client.fd(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return base::fail(why_not(errno, path));
  if (auto greeted = client.greet(program); !greeted) return tl::unexpected(greeted.error());
  return client;
}

base::Result<void> Client::greet(const std::string& program) {
  const Hello hello{kMinVersion, kMaxVersion, program};
  // It may have refused us already, and says why.
  const auto sent = send(FrameType::kHello, encode(hello));
  const auto frame = receive();
  if (!frame) return tl::unexpected(frame.error());
  if (!sent) return tl::unexpected(sent.error());
  if (!*frame || (*frame)->type != FrameType::kHello)
    return base::fail("who listens at " + path_ + " does not greet as lambdacast does");
  const auto theirs = parse_hello((*frame)->payload);
  if (!theirs)
    return base::fail("who listens at " + path_ + " is no lambdacast: " + theirs.error().message);
  process_ = *theirs;
  if (const auto version = agree(process_, hello); !version) return tl::unexpected(version.error());
  return {};
}

base::Result<void> Client::send(FrameType type, std::string_view payload) {
  const std::string bytes = encode(type, payload);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(fd(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return base::fail("control socket " + path_ + ": " + std::strerror(errno));
    done += static_cast<size_t>(sent);
  }
  return {};
}

base::Result<std::optional<Frame>> Client::receive() {
  for (;;) {
    auto frame = reader_.next();
    if (!frame) return tl::unexpected(frame.error());
    if (*frame && (*frame)->type == FrameType::kError) return base::fail((*frame)->payload);
    if (*frame) return frame;
    char bytes[65536];
    const ssize_t got = ::recv(fd(), bytes, sizeof bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return std::nullopt;
    if (got < 0) return base::fail("control socket " + path_ + ": " + std::strerror(errno));
    reader_.feed({bytes, static_cast<size_t>(got)});
  }
}

base::Result<Answer> Client::ask(const Request& request, const OnEvent& on_event) {
  if (request.line.size() > kMaxLineBytes) {
    return base::fail("a line of " + std::to_string(request.line.size()) +
                      " bytes is too long; allowed: " + std::to_string(kMaxLineBytes));
  }
  const std::string payload = encode(request);
  if (payload.size() > kMaxRequestBytes) {
    return base::fail(
        "a file of " + std::to_string(request.file.size()) +
        " bytes is too long; allowed: " + std::to_string(kMaxRequestBytes - kMaxLineBytes));
  }
  // It may have let us go, and have said why.
  const auto sent = send(FrameType::kRequest, payload);
  for (;;) {
    const auto frame = receive();
    if (!frame) return tl::unexpected(frame.error());
    if (!*frame) return base::fail("the lambdacast at " + path_ + " has let this client go");
    if ((*frame)->type == FrameType::kAnswer) return parse_answer((*frame)->payload);
    if ((*frame)->type == FrameType::kEvent && on_event) on_event((*frame)->payload);
  }
}

base::Result<std::optional<std::string>> Client::next_event() {
  for (;;) {
    const auto frame = receive();
    if (!frame) return tl::unexpected(frame.error());
    if (!*frame) return std::nullopt;
    if ((*frame)->type == FrameType::kEvent) return (*frame)->payload;
  }
}

}  // namespace lambdacast::ctl
