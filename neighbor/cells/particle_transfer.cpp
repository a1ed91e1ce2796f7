#include "neighbor/cells/particle_transfer.hpp"

#include <array>
#include <vector>

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
  void upload_to(Vec3Buffer<T>& buffer, Stream& stream) const {
    buffer.x.upload(x, stream);
    buffer.y.upload(y, stream);
    buffer.z.upload(z, stream);
  }
};

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
  particles.count = static_cast<Index>(count);
  upload_types(start.types, particles, stream);
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
