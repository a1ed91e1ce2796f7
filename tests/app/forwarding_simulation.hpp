// A simulation that hands everything on to another one: for doubles that change a little of it.
#pragma once

#include <memory>
#include <utility>

#include "app/ranks/stand_in.hpp"

namespace pencilbox::testing {

class ForwardingSimulation : public StandIn {
 public:
  explicit ForwardingSimulation(std::unique_ptr<Simulation> honest) {
    begin_with(std::move(honest));
  }
};

}  // namespace pencilbox::testing
