#include "neighbor/particle_transfer.hpp"

#include <algorithm>
#include <numeric>

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// The three components of a host array, each on its own.
template <class T>
struct Components {
  std::vector<T> x, y, z;

  explicit Components(std::size_t size) : x(size), y(size), z(size) {}

  template <class Source>
  void set(std::size_t i, const std::array<Source, 3>& value) {
    x[i] = static_cast<T>(value[0]);
    y[i] = static_cast<T>(value[1]);
    z[i] = static_cast<T>(value[2]);
  }
  void upload_to(Vec3Buffer<T>& buffer, Stream& stream) const {
    buffer.x.upload(x, stream);
    buffer.y.upload(y, stream);
    buffer.z.upload(z, stream);
  }
};

std::vector<std::size_t> rows_by_id(const std::vector<ParticleId>& id) {
  std::vector<std::size_t> rows(id.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&id](auto a, auto b) { return id[a] < id[b]; });
  return rows;
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> picked(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) picked[i] = values[rows[i]];
  return picked;
}

template <class Out, class T>
std::vector<std::array<Out, 3>> pick(const Vec3Buffer<T>& buffer,
                                     const std::vector<std::size_t>& rows, Stream& stream) {
  const std::vector<T> x = buffer.x.download(stream);
  const std::vector<T> y = buffer.y.download(stream);
  const std::vector<T> z = buffer.z.download(stream);
  std::vector<std::array<Out, 3>> picked(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    picked[i] = {static_cast<Out>(x[row]), static_cast<Out>(y[row]), static_cast<Out>(z[row])};
  }
  return picked;
}

template <class Precision>
std::vector<GridPlace> download_places(const Particles<Precision>& particles, const CellGrid& grid,
                                       const std::vector<std::size_t>& rows, Stream& stream) {
  const auto cell = pick(particles.state.cell.download(stream), rows);
  const auto offset = pick<double>(particles.state.position, rows, stream);
  const auto image = pick<std::int32_t>(particles.state.image, rows, stream);
  const GridView<double> view = grid.view<double>();
  std::vector<GridPlace> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CellCoordinates c = view.coordinates(cell[i]);
    places[i] = {{c.x, c.y, c.z}, offset[i], image[i]};
  }
  return places;
}

}  // namespace

template <class Precision>
void upload(const StartState& start, const CellGrid& grid, Particles<Precision>& particles,
            Stream& stream) {
  using State = typename Precision::State;
  const auto count = static_cast<std::size_t>(start.size());
  Components<State> position(count), velocity(count);
  Components<std::int32_t> image(count);
  std::vector<Index> cell(count);
  const GridView<double> view = grid.view<double>();
  for (std::size_t i = 0; i < count; ++i) {
    GridPlace home = place(grid, start.position[i]);
    for (std::size_t d = 0; d < 3; ++d) home.image[d] += start.image[i][d];
    position.set(i, home.offset);
    velocity.set(i, start.velocity[i]);
    image.set(i, home.image);
    cell[i] = view.linear({home.cell[0], home.cell[1], home.cell[2]});
  }
  std::vector<double> mass;
  std::vector<double> inverse_mass;
  for (const ParticleType& type : start.types) {
    mass.push_back(type.mass);
    inverse_mass.push_back(1.0 / type.mass);
  }

  particles.count = static_cast<Index>(count);
  particles.types = static_cast<Index>(start.types.size());
  particles.mass.upload(mass, stream);
  particles.inverse_mass.upload(inverse_mass, stream);
  position.upload_to(particles.state.position, stream);
  velocity.upload_to(particles.state.velocity, stream);
  image.upload_to(particles.state.image, stream);
  particles.state.cell.upload(cell, stream);
  particles.state.id.upload(start.id, stream);
  particles.state.type.upload(start.type, stream);
  particles.sums.resize(particles.count);
}

template <class Precision>
Frame download(const Particles<Precision>& particles, const CellGrid& grid, const FieldSet& fields,
               Stream& stream) {
  const std::vector<ParticleId> id = particles.state.id.download(stream);
  const std::vector<std::size_t> rows = rows_by_id(id);
  Frame frame;
  if (fields.contains(Field::position) || fields.contains(Field::image)) {
    for (GridPlace& place : download_places(particles, grid, rows, stream)) {
      frame.position.push_back(position_of(grid, place));
      if (fields.contains(Field::image)) frame.image.push_back(place.image);
    }
  }
  if (fields.contains(Field::velocity) || fields.contains(Field::speed)) {
    frame.velocity = pick<double>(particles.state.velocity, rows, stream);
  }
  if (fields.contains(Field::force)) {
    frame.force = pick<double>(particles.sums.force, rows, stream);
  }
  if (fields.contains(Field::species)) {
    frame.species = pick(particles.state.type.download(stream), rows);
  }
  if (fields.contains(Field::id)) frame.id = pick(id, rows);
  if (fields.contains(Field::potential_energy)) {
    const auto energy = pick(particles.sums.energy.download(stream), rows);
    frame.potential_energy.assign(energy.begin(), energy.end());
  }
  return frame;
}

template void upload(const StartState&, const CellGrid&, Particles<SinglePrecision>&, Stream&);
template void upload(const StartState&, const CellGrid&, Particles<MixedPrecision>&, Stream&);
template void upload(const StartState&, const CellGrid&, Particles<DoublePrecision>&, Stream&);
template Frame download(const Particles<SinglePrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);
template Frame download(const Particles<MixedPrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);
template Frame download(const Particles<DoublePrecision>&, const CellGrid&, const FieldSet&,
                        Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
