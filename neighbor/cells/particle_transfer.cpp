#include "neighbor/cells/particle_transfer.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/in_pieces.hpp"
#include "neighbor/cells/frame_gatherer.hpp"

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
  void upload_to(Vec3Buffer<T>& buffer, std::int64_t first, Stream& stream) const {
    buffer.x.upload_part(first, x, stream);
    buffer.y.upload_part(first, y, stream);
    buffer.z.upload_part(first, z, stream);
  }
};

/// Of a start so many rows at a time, so that a large one does not need the host's memory twice.
constexpr std::int64_t rows_at_a_time = 64 * particles_of_a_piece;

template <class Precision>
void upload_rows(const StartState& start, std::int64_t first, std::int64_t count,
                 const CellGrid& grid, ParticleState<Precision>& state, Stream& stream) {
  using State = typename Precision::State;
  const auto size = static_cast<std::size_t>(count);
  Components<State> position(size), velocity(size);
  Components<std::int32_t> image(size);
  std::vector<Index> cell(size);
  const GridView<double> view = grid.view<double>();
  for_each_piece(count, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::size_t row = static_cast<std::size_t>(first) + i;
      GridPlace home = place(grid, start.position[row]);
      for (std::size_t d = 0; d < 3; ++d) home.image[d] += start.image[row][d];
      position.set(i, home.offset);
      velocity.set(i, start.velocity[row]);
      image.set(i, home.image);
      cell[i] = view.linear({home.cell[0], home.cell[1], home.cell[2]});
    }
  });
  position.upload_to(state.position, first, stream);
  velocity.upload_to(state.velocity, first, stream);
  image.upload_to(state.image, first, stream);
  state.cell.upload_part(first, cell, stream);
}

}  // namespace

template <class Precision>
void upload_types(const std::vector<ParticleType>& types, Particles<Precision>& particles,
                  Stream& stream) {
  std::vector<double> mass;
  std::vector<double> inverse_mass;
  for (const ParticleType& type : types) {
    mass.push_back(type.mass);
    inverse_mass.push_back(1.0 / type.mass);
  }
  particles.types = static_cast<Index>(types.size());
  particles.mass.upload(mass, stream);
  particles.inverse_mass.upload(inverse_mass, stream);
}

template <class Precision>
void upload(const StartState& start, const CellGrid& grid, Particles<Precision>& particles,
            Stream& stream) {
  particles.count = static_cast<Index>(start.size());
  particles.state.resize(particles.count);
  upload_types(start.types, particles, stream);
  for (std::int64_t first = 0; first < start.size(); first += rows_at_a_time) {
    const std::int64_t count = std::min(rows_at_a_time, start.size() - first);
    upload_rows(start, first, count, grid, particles.state, stream);
  }
  particles.state.id.upload(start.id, stream);
  particles.state.type.upload(start.type, stream);
  particles.sums.resize(particles.count);
}

template <class Precision>
Frame download(const Particles<Precision>& particles, const CellGrid& grid, const FieldSet& fields,
               Stream& stream) {
  FrameGatherer<Precision> gatherer(particles, stream);
  return unpack(gatherer.gather(particles, grid, fields, sizeof(double), stream));
}

template void upload_types(const std::vector<ParticleType>&, Particles<SinglePrecision>&, Stream&);
template void upload_types(const std::vector<ParticleType>&, Particles<MixedPrecision>&, Stream&);
template void upload_types(const std::vector<ParticleType>&, Particles<DoublePrecision>&, Stream&);
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
