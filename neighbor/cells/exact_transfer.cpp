#include "neighbor/cells/exact_transfer.hpp"

#include <algorithm>
#include <numeric>

#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

using Rows = std::vector<std::size_t>;

Rows rows_by_id(const std::vector<ParticleId>& id) {
  Rows rows(id.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&id](auto a, auto b) { return id[a] < id[b]; });
  return rows;
}

template <class T>
std::vector<T> download(const Buffer<T>& buffer, const Rows& rows, Stream& stream) {
  const std::vector<T> values = buffer.download(stream);
  std::vector<T> sorted(rows.size());
  std::transform(rows.begin(), rows.end(), sorted.begin(), [&](auto row) { return values[row]; });
  return sorted;
}

/// One component at a time, so that the host holds one array of the device at a time.
template <class Out, class T>
std::vector<std::array<Out, 3>> download(const Vec3Buffer<T>& buffer, const Rows& rows,
                                         Stream& stream) {
  std::vector<std::array<Out, 3>> sorted(rows.size());
  const std::array<const Buffer<T>*, 3> components{&buffer.x, &buffer.y, &buffer.z};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<T> values = components[d]->download(stream);
    for (std::size_t i = 0; i < rows.size(); ++i) sorted[i][d] = static_cast<Out>(values[rows[i]]);
  }
  return sorted;
}

template <class T, class In>
void upload(const std::vector<std::array<In, 3>>& values, Vec3Buffer<T>& buffer, Stream& stream) {
  const std::array<Buffer<T>*, 3> components{&buffer.x, &buffer.y, &buffer.z};
  std::vector<T> component(values.size());
  for (std::size_t d = 0; d < 3; ++d) {
    std::transform(values.begin(), values.end(), component.begin(),
                   [d](const auto& value) { return static_cast<T>(value[d]); });
    components[d]->upload(component, stream);
  }
}

}  // namespace

template <class Precision>
ExactState download_exact(const Particles<Precision>& particles, const CellGrid& grid,
                          Stream& stream) {
  const ParticleState<Precision>& on_device = particles.state;
  const Rows rows = rows_by_id(on_device.id.download(stream));
  ExactState state;
  state.precision = Precision::value;
  state.grid = {grid.lower, grid.side, grid.cells};
  state.id = download(on_device.id, rows, stream);
  state.type = download(on_device.type, rows, stream);
  const GridView<double> view = grid.view<double>();
  for (const Index cell : download(on_device.cell, rows, stream)) {
    const CellCoordinates c = view.coordinates(cell);
    state.cell.push_back({c.x, c.y, c.z});
  }
  state.offset = download<double>(on_device.position, rows, stream);
  state.velocity = download<double>(on_device.velocity, rows, stream);
  state.image = download<std::int32_t>(on_device.image, rows, stream);
  state.force = download<double>(particles.sums.force, rows, stream);
  return state;
}

template <class Precision>
void upload_exact(const ExactState& state, Particles<Precision>& particles, Stream& stream) {
  const auto& [nx, ny, nz] = state.grid.cells;
  std::vector<Index> cell;
  cell.reserve(state.cell.size());
  for (const auto& [x, y, z] : state.cell) cell.push_back((z * ny + y) * nx + x);

  particles.count = static_cast<Index>(state.size());
  upload_types(state.types, particles, stream);
  particles.sums.resize(particles.count);
  particles.state.id.upload(state.id, stream);
  particles.state.type.upload(state.type, stream);
  particles.state.cell.upload(cell, stream);
  upload(state.offset, particles.state.position, stream);
  upload(state.velocity, particles.state.velocity, stream);
  upload(state.image, particles.state.image, stream);
  upload(state.force, particles.sums.force, stream);
}

template <class Precision>
void upload_in_order(const ExactState& state, Particles<Precision>& particles, Stream& stream) {
  const std::vector<ParticleId> id = particles.state.id.download(stream);
  std::vector<Double3> offset, force;
  offset.reserve(id.size());
  force.reserve(id.size());
  for (const ParticleId wanted : id) {
    const auto found = std::lower_bound(state.id.begin(), state.id.end(), wanted);
    const auto row = static_cast<std::size_t>(found - state.id.begin());
    offset.push_back(state.offset[row]);
    force.push_back(state.force[row]);
  }
  upload(offset, particles.state.position, stream);
  upload(force, particles.sums.force, stream);
}

template <class Precision>
std::vector<Double3> download_reference(const Vec3Buffer<typename Precision::State>& reference,
                                        const Particles<Precision>& particles, Stream& stream) {
  return download<double>(reference, rows_by_id(particles.state.id.download(stream)), stream);
}

template void upload_in_order(const ExactState&, Particles<SinglePrecision>&, Stream&);
template void upload_in_order(const ExactState&, Particles<MixedPrecision>&, Stream&);
template void upload_in_order(const ExactState&, Particles<DoublePrecision>&, Stream&);
template std::vector<Double3> download_reference<SinglePrecision>(const Vec3Buffer<float>&,
                                                                  const Particles<SinglePrecision>&,
                                                                  Stream&);
template std::vector<Double3> download_reference<MixedPrecision>(const Vec3Buffer<double>&,
                                                                 const Particles<MixedPrecision>&,
                                                                 Stream&);
template std::vector<Double3> download_reference<DoublePrecision>(const Vec3Buffer<double>&,
                                                                  const Particles<DoublePrecision>&,
                                                                  Stream&);
template ExactState download_exact(const Particles<SinglePrecision>&, const CellGrid&, Stream&);
template ExactState download_exact(const Particles<MixedPrecision>&, const CellGrid&, Stream&);
template ExactState download_exact(const Particles<DoublePrecision>&, const CellGrid&, Stream&);
template void upload_exact(const ExactState&, Particles<SinglePrecision>&, Stream&);
template void upload_exact(const ExactState&, Particles<MixedPrecision>&, Stream&);
template void upload_exact(const ExactState&, Particles<DoublePrecision>&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
