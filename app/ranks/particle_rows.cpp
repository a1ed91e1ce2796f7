#include "app/ranks/particle_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class T, class Row>
void upload_numbers(const LargeVector<Row>& rows, T Row::*member, Buffer<T>& to, Stream& stream) {
  upload_each(
      rows, [&](const Row& row) { return row.*member; }, to, stream);
}

template <class T, class Row>
void download_numbers(const Buffer<T>& from, T Row::*member, LargeVector<Row>& rows,
                      Stream& stream) {
  const LargeVector<T> values = download_large(from, stream);
  for_each_in_pieces(static_cast<std::int64_t>(rows.size()),
                     [&](std::size_t i) { rows[i].*member = values[i]; });
}

template <class T, class Row>
void download_member(const Vec3Buffer<T>& from, Vec3<T> Row::*member, LargeVector<Row>& rows,
                     Stream& stream) {
  const LargeVector<Vec3<T>> vectors = download_vectors(from, stream);
  for_each_in_pieces(static_cast<std::int64_t>(rows.size()),
                     [&](std::size_t i) { rows[i].*member = vectors[i]; });
}

}  // namespace

template <class Precision>
LargeVector<ParticleRow<Precision>> download_rows(const Particles<Precision>& particles,
                                                  Stream& stream) {
  using Row = ParticleRow<Precision>;
  auto rows = large_vector<Row>(static_cast<std::size_t>(particles.count));
  const ParticleState<Precision>& state = particles.state;
  download_member(state.position, &Row::position, rows, stream);
  for_each_in_pieces(particles.count, [&](std::size_t i) { rows[i].reference = rows[i].position; });
  download_member(state.velocity, &Row::velocity, rows, stream);
  download_member(state.image, &Row::image, rows, stream);
  download_numbers(state.cell, &Row::cell, rows, stream);
  download_numbers(state.id, &Row::id, rows, stream);
  download_numbers(state.type, &Row::type, rows, stream);
  download_member(particles.sums.force, &Row::force, rows, stream);
  download_numbers(particles.sums.energy, &Row::energy, rows, stream);
  download_numbers(particles.sums.virial, &Row::virial, rows, stream);
  return rows;
}

template <class Precision>
void upload_rows(const LargeVector<ParticleRow<Precision>>& rows, Particles<Precision>& particles,
                 Stream& stream) {
  using Row = ParticleRow<Precision>;
  particles.count = static_cast<Index>(rows.size());
  ParticleState<Precision>& state = particles.state;
  upload_member(rows, &Row::position, state.position, stream);
  upload_member(rows, &Row::velocity, state.velocity, stream);
  upload_member(rows, &Row::image, state.image, stream);
  upload_numbers(rows, &Row::cell, state.cell, stream);
  upload_numbers(rows, &Row::id, state.id, stream);
  upload_numbers(rows, &Row::type, state.type, stream);
  upload_member(rows, &Row::force, particles.sums.force, stream);
  upload_numbers(rows, &Row::energy, particles.sums.energy, stream);
  upload_numbers(rows, &Row::virial, particles.sums.virial, stream);
}

template LargeVector<ParticleRow<SinglePrecision>> download_rows(const Particles<SinglePrecision>&,
                                                                 Stream&);
template LargeVector<ParticleRow<MixedPrecision>> download_rows(const Particles<MixedPrecision>&,
                                                                Stream&);
template LargeVector<ParticleRow<DoublePrecision>> download_rows(const Particles<DoublePrecision>&,
                                                                 Stream&);
template void upload_rows(const LargeVector<ParticleRow<SinglePrecision>>&,
                          Particles<SinglePrecision>&, Stream&);
template void upload_rows(const LargeVector<ParticleRow<MixedPrecision>>&,
                          Particles<MixedPrecision>&, Stream&);
template void upload_rows(const LargeVector<ParticleRow<DoublePrecision>>&,
                          Particles<DoublePrecision>&, Stream&);

}  // namespace pencilbox::PENCILBOX_DEVICE
