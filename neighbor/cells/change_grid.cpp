#include "neighbor/cells/change_grid.hpp"

#include <cmath>

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

struct OldAndNewAxis {
  double old_side, side, lower_difference;
  Index cells;
  bool periodic;

  OldAndNewAxis(const CellGrid& from, const CellGrid& to, std::size_t d)
      : old_side(from.side[d]),
        side(to.side[d]),
        lower_difference(from.lower[d] - to.lower[d]),
        cells(to.cells[d]),
        periodic(to.periodic[d]) {}

  struct Place {
    Index cell;
    double offset;
    std::int32_t images;
  };

  PENCILBOX_DEVICE_FUNCTION Place operator()(Index old_cell, double old_offset) const {
    double inside = lower_difference + (old_cell + 0.5) * old_side + old_offset;
    double images = 0.0;
    if (periodic) {
      const double length = side * cells;
      images = std::floor(inside / length);
      inside -= images * length;
    }
    double cell = std::floor(inside / side);
    cell = cell < 0.0 ? 0.0 : (cell < cells ? cell : cells - 1.0);
    return {static_cast<Index>(cell), inside - (cell + 0.5) * side,
            static_cast<std::int32_t>(images)};
  }
};

template <class State>
struct ChangeGrid {
  static constexpr const char* name = "change grid";
  GridView<double> from, to;
  OldAndNewAxis x, y, z;
  Vec3View<State> position;
  Vec3View<std::int32_t> image;
  Index* cell;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates old = from.coordinates(cell[i]);
    const Vec3<double> offset = position[i].template to<double>();
    const OldAndNewAxis::Place px = x(old.x, offset.x), py = y(old.y, offset.y),
                               pz = z(old.z, offset.z);
    cell[i] = to.linear({px.cell, py.cell, pz.cell});
    position.store(i, Vec3<double>{px.offset, py.offset, pz.offset}.to<State>());
    image.x[i] += px.images;
    image.y[i] += py.images;
    image.z[i] += pz.images;
  }
};

template <class State>
struct Stretch {
  static constexpr const char* name = "stretch";
  Vec3<double> by, against;
  Vec3View<State> position, velocity;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const Vec3<double> offset = position[i].template to<double>();
    const Vec3<double> speed = velocity[i].template to<double>();
    position.store(i, Vec3<double>{by.x * offset.x, by.y * offset.y, by.z * offset.z}.to<State>());
    velocity.store(
        i, Vec3<double>{against.x * speed.x, against.y * speed.y, against.z * speed.z}.to<State>());
  }
};

}  // namespace

template <class Precision>
void stretch(Particles<Precision>& particles, const CellGrid& from, const CellGrid& to,
             Stream& stream) {
  const Double3 &a = from.side, &b = to.side;
  ParticleState<Precision>& state = particles.state;
  for_each(stream, particles.count,
           Stretch<typename Precision::State>{{b[0] / a[0], b[1] / a[1], b[2] / a[2]},
                                              {a[0] / b[0], a[1] / b[1], a[2] / b[2]},
                                              state.position.view(),
                                              state.velocity.view()});
}

template void stretch(Particles<SinglePrecision>&, const CellGrid&, const CellGrid&, Stream&);
template void stretch(Particles<MixedPrecision>&, const CellGrid&, const CellGrid&, Stream&);
template void stretch(Particles<DoublePrecision>&, const CellGrid&, const CellGrid&, Stream&);

template <class Precision>
void change_grid(Particles<Precision>& particles, const CellGrid& from, const CellGrid& to,
                 Stream& stream) {
  ParticleState<Precision>& state = particles.state;
  for_each(stream, particles.count,
           ChangeGrid<typename Precision::State>{
               from.view<double>(), to.view<double>(), OldAndNewAxis(from, to, 0),
               OldAndNewAxis(from, to, 1), OldAndNewAxis(from, to, 2), state.position.view(),
               state.image.view(), state.cell.data()});
}

template void change_grid(Particles<SinglePrecision>&, const CellGrid&, const CellGrid&, Stream&);
template void change_grid(Particles<MixedPrecision>&, const CellGrid&, const CellGrid&, Stream&);
template void change_grid(Particles<DoublePrecision>&, const CellGrid&, const CellGrid&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
