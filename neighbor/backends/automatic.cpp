// Auto: the fastest of the others. Choosing is the engine's (app/engine/candidates.hpp), because a
// back end that keeps a list is judged by whole cycles from rebuild to rebuild: here stands only
// what decks and the registry know of it.
#include "neighbor/backend.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
  if (!std::holds_alternative<CandidatePotentialModel>(problem.potential)) return {};
  return "the benchmark's potentials compare back ends by name, and this one is all of them";
}

template <class Precision>
std::unique_ptr<Backend<Precision>> make(const Problem&, const BackendOptions&) {
  throw std::logic_error("auto is no back end of its own: the engine chooses one");
}

}  // namespace

BackendEntry automatic() {
  BackendInfo info;
  info.name = "auto";
  info.summary = "the fastest of the others, found by trying them in the first steps";
  info.source = "Few particles per cell, section 9";
  return {std::move(info),
          &refuse,
          [](const Problem&, const BackendOptions&) -> std::int64_t { return 0; },
          &make<SinglePrecision>,
          &make<MixedPrecision>,
          &make<DoublePrecision>};
}

}  // namespace pencilbox::PENCILBOX_DEVICE
