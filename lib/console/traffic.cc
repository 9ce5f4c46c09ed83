// SPDX-License-Identifier: BSD-3-Clause
#include "console/traffic.h"

#include "console/endpoint_choice.h"
#include "console/number.h"

namespace lambdacast::console {
namespace {

constexpr uint64_t kMaxRatePps = 1'000'000'000;  // as in the configuration
constexpr uint64_t kMaxGroup = 0xffffffff;

struct Context {
  Appliance& appliance;
  const config::Config& config;
};

Command publish(Context context, bool on) {
  return {{fixed(on ? "start" : "stop"), endpoint_word(context.config)},
          1,
          on ? "Lets the built-in traffic publish." : "Ends the built-in traffic's publishing.",
          [context, on](const Arguments& arguments) -> Answer {
            for (const size_t i : chosen(context.config, arguments, 1)) {
              context.appliance.publish(i, on);
            }
            return std::string();
          }};
}

Command set_rate(Context context) {
  return {{fixed("set"), fixed("traffic"), any("PPS"), endpoint_word(context.config)},
          1,
          "The built-in traffic's messages a second; 0: as many as the endpoint takes.",
          [context](const Arguments& arguments) -> Answer {
            const auto rate = parse_whole(arguments[2], "PPS", 0, kMaxRatePps);
            if (!rate) return tl::unexpected(rate.error());
            for (const size_t i : chosen(context.config, arguments, 3)) {
              context.appliance.set_rate_pps(i, *rate);
            }
            return std::string();
          }};
}

// What begins with a digit is a number.
base::Result<void> check_group(const std::string& group) {
  if (group.empty() || group.front() < '0' || group.front() > '9') return {};
  const auto number = parse_whole(group, "GROUP", 1, kMaxGroup);
  if (!number) return tl::unexpected(number.error());
  return {};
}

Command membership(Context context, bool join) {
  return {{fixed(join ? "join" : "leave"), any("NAME"), endpoint_word(context.config)},
          1,
          join ? "Joins a group by its name, which it gets if nobody has joined it before."
               : "Leaves a group that was joined by its name.",
          [context, join](const Arguments& arguments) -> Answer {
            for (const size_t i : chosen(context.config, arguments, 2)) {
              const auto done = join ? context.appliance.join(i, arguments[1])
                                     : context.appliance.leave(i, arguments[1]);
              if (!done) return tl::unexpected(done.error());
            }
            return std::string();
          }};
}

// One endpoint at a time: of several one would have the lock, and the others wait for it.
Command lock(Context context, bool acquires) {
  return {{fixed(acquires ? "acquire" : "release"), any("NAME"), number("HANDLER"),
           endpoint_word(context.config)},
          1,
          acquires ? "Asks for a lock of a group, by its number; in turn, if somebody has it."
                   : "Gives a lock of a group back, or waits for it no longer.",
          [context, acquires](const Arguments& arguments) -> Answer {
            const auto handler = parse_whole(arguments[2], "HANDLER", 0, kMaxGroup);
            if (!handler) return tl::unexpected(handler.error());
            const size_t endpoint = chosen(context.config, arguments, 3).front();
            const auto which = static_cast<uint32_t>(*handler);
            const auto done = acquires ? context.appliance.acquire(endpoint, arguments[1], which)
                                       : context.appliance.release(endpoint, arguments[1], which);
            if (!done) return tl::unexpected(done.error());
            return std::string();
          }};
}

Answer send(Context context, size_t endpoint, const std::string& group, const std::string& text) {
  if (const auto known = check_group(group); !known) return tl::unexpected(known.error());
  const auto sent = context.appliance.send(endpoint, group, text);
  if (!sent) return tl::unexpected(sent.error());
  return std::string();
}

Command send(Context context) {
  return {{fixed("send"), number("GROUP"), rest("TEXT")},
          0,
          "Publishes a text to a group, by its number, from the first endpoint.",
          [context](const Arguments& arguments) {
            return send(context, 0, arguments[1], arguments[2]);
          }};
}

Command send_to(Context context) {
  return {{fixed("send"), fixed("to"), any("NAME"), rest("TEXT")},
          0,
          "Publishes a text to a group, by its name, from the first endpoint.",
          [context](const Arguments& arguments) {
            return send(context, 0, arguments[2], arguments[3]);
          }};
}

Command send_from(Context context) {
  return {{fixed("send"), fixed("from"), endpoint_word(context.config), any("GROUP"), rest("TEXT")},
          0,
          "Publishes a text to a group, by number or name, from that endpoint.",
          [context](const Arguments& arguments) {
            const size_t endpoint = chosen(context.config, arguments, 2).front();
            return send(context, endpoint, arguments[3], arguments[4]);
          }};
}

Answer call(Context context, size_t endpoint, const std::string& group, const std::string& whom,
            const std::string& text) {
  std::optional<uint32_t> handler;
  if (whom != "all") {
    const auto number = parse_whole(whom, "HANDLER|all", 0, kMaxGroup);
    if (!number) return tl::unexpected(number.error());
    handler = static_cast<uint32_t>(*number);
  }
  const auto called = context.appliance.call(endpoint, group, handler, text);
  if (!called) return tl::unexpected(called.error());
  return std::string();
}

Command call(Context context) {
  return {{fixed("call"), any("NAME"), number("HANDLER"), rest("TEXT")},
          0,
          "Asks the holder of a lock of a group, from the first endpoint; shows the answer later.",
          [context](const Arguments& arguments) {
            return call(context, 0, arguments[1], arguments[2], arguments[3]);
          }};
}

Command call_all(Context context) {
  return {{fixed("call"), any("NAME"), fixed("all"), rest("TEXT")},
          0,
          "Asks all members of a group, from the first endpoint; shows their answers later.",
          [context](const Arguments& arguments) {
            return call(context, 0, arguments[1], arguments[2], arguments[3]);
          }};
}

Command call_from(Context context) {
  return {{fixed("call"), fixed("from"), endpoint_word(context.config), any("NAME"),
           any("HANDLER|all"), rest("TEXT")},
          0,
          "Asks the holder of a lock of a group, or all its members, from that endpoint.",
          [context](const Arguments& arguments) {
            const size_t endpoint = chosen(context.config, arguments, 2).front();
            return call(context, endpoint, arguments[3], arguments[4], arguments[5]);
          }};
}

Command listen(Context context) {
  return {{fixed("listen"), any("GROUP"), endpoint_word(context.config)},
          1,
          "Shows the messages of a group as they arrive; listen off ends it.",
          [context](const Arguments& arguments) -> Answer {
            if (arguments[1] == "off") {
              context.appliance.listen_off();
              return std::string();
            }
            if (const auto known = check_group(arguments[1]); !known)
              return tl::unexpected(known.error());
            for (const size_t i : chosen(context.config, arguments, 2)) {
              const auto heard = context.appliance.listen(i, arguments[1]);
              if (!heard) return tl::unexpected(heard.error());
            }
            return std::string();
          }};
}

}  // namespace

std::vector<Command> traffic_commands(Appliance& appliance, const config::Config& config) {
  const Context context{appliance, config};
  return {publish(context, true), publish(context, false),   set_rate(context),
          send(context),          send_to(context),          send_from(context),
          listen(context),        membership(context, true), membership(context, false),
          lock(context, true),    lock(context, false),      call(context),
          call_all(context),      call_from(context)};
}

}  // namespace lambdacast::console
