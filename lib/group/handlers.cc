#include "group/handlers.h"

namespace lambdacast::group {

std::string_view text(Result result) {
  switch (result) {
    case Result::kOk:
      return "done";
    case Result::kAgain:
      return "there is no room now: again later";
    case Result::kTooLong:
      return "the message is longer than endpoint.max_message_bytes";
    case Result::kNotInView:
      return "this endpoint is in no view, as totally ordered messages and groups need";
    case Result::kBadName:
      return "a group's name has 1 to 63 bytes, none of them a control character";
    case Result::kUnknownGroup:
      return "nobody has joined a group of that name so far";
    case Result::kAlreadyJoined:
      return "the group is joined already";
    case Result::kNotJoined:
      return "the group is not joined";
  }
  return "";
}

std::string_view text(End reason) {
  switch (reason) {
    case End::kLeft:
      return "left";
    case End::kExcluded:
      return "this endpoint is out of the view";
    case End::kDirectoryFull:
      return "as many groups as endpoint.membership.names have names already";
    case End::kNoRoom:
      return "this endpoint subscribes to as many groups as it may";
    case End::kStateTooLarge:
      return "the group's state is larger than endpoint.membership.state_bytes";
  }
  return "";
}

}  // namespace lambdacast::group
