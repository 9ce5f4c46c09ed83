// Stage `reliability`, thin in this version: it forwards, counts gaps and refuses duplicates. It
// repairs nothing.
#pragma once

#include "dataplane/core_stage.h"

namespace lambdacast::dataplane {

class ReliabilityStage final : public CoreStage<reliability::ReliabilityCore> {
 public:
  using CoreStage::CoreStage;
  [[nodiscard]] const char* name() const override { return "reliability"; }
};

}  // namespace lambdacast::dataplane
