// Fetches a neighbourhood. Included once for each instruction set.
#if defined(PENCILBOX_STAGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_STAGE_INL
#undef PENCILBOX_STAGE_INL
#else
#define PENCILBOX_STAGE_INL
#endif

#include <algorithm>
#include <type_traits>

#include <hwy/highway.h>

#include "neighbor/vectors/neighborhood.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

/// Added in the wider of the two, rounded once.
template <class State, class Real>
void stage_coordinate(const State* HWY_RESTRICT from, Index count, double shift,
                      Real* HWY_RESTRICT to) {
  using Wider = std::common_type_t<State, Real>;
  const auto by = static_cast<Wider>(shift);
  for (Index k = 0; k < count; ++k) to[k] = static_cast<Real>(static_cast<Wider>(from[k]) + by);
}

/// `Real`: what the neighbourhood is kept in.
template <class State, class Real>
void stage(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout,
           StagedNumbers<Real>& staged) {
  staged.reserve(layout.places());
  const Vec3<double> side = particles.grid.exact_side;
  const auto& from = particles.position;
  for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
    const double y = layout.steps_y(run) * side.y, z = layout.steps_z(run) * side.z;
    for (Index x = 0; x < layout.cells();) {
      const Index first_place = layout.begin(run, x);
      IndexRange together = layout.particles(run, x);
      do {  // cells whose particles follow each other
        const IndexRange cell = layout.particles(run, x);
        stage_coordinate(from.x + cell.begin, cell.end - cell.begin, layout.steps_x(x) * side.x,
                         staged.x.data() + layout.begin(run, x));
        together.end = cell.end;
        ++x;
      } while (x < layout.cells() && layout.particles(run, x).begin == together.end);
      const Index count = together.end - together.begin;
      stage_coordinate(from.y + together.begin, count, y, staged.y.data() + first_place);
      stage_coordinate(from.z + together.begin, count, z, staged.z.data() + first_place);
    }
  }
}

template <class State>
void stage_types(const PlacedParticles<State>& particles, const NeighborhoodLayout& layout,
                 std::vector<std::int32_t>& type) {
  type.resize(static_cast<std::size_t>(layout.places()));
  for (Index run = 0; run < NeighborhoodLayout::runs; ++run) {
    for (Index x = 0; x < layout.cells(); ++x) {
      const IndexRange cell = layout.particles(run, x);
      std::copy(particles.type + cell.begin, particles.type + cell.end,
                type.begin() + layout.begin(run, x));
    }
  }
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
