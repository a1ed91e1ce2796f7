// What the first rank is to the program.
#pragma once

#include <memory>

#include "app/engine/simulation.hpp"
#include "app/ranks/commission.hpp"
#include "app/ranks/post.hpp"
#include "core/exact_state.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// With the other processes, which get the commission first. Throws what all of them agree on,
/// BackendRefusal or RanksRefusal; after anything else the post is given up.
std::unique_ptr<Simulation> make_ranked(const Commission& commission, const StartState& start,
                                        const std::shared_ptr<Post>& post);
std::unique_ptr<Simulation> make_ranked(const Commission& commission, const ExactState& state,
                                        const std::shared_ptr<Post>& post);

}  // namespace pencilbox::PENCILBOX_DEVICE
