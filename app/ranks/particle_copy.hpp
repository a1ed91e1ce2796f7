// A rank's particles as they were when a batch of steps began, on the device: what it goes back to
// where a letter was too small.
#pragma once

#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Rows [0, rows) of arrays that may have more.
template <class T>
void copy_rows(Buffer<T>& to, const Buffer<T>& from, Index rows, Stream& stream) {
  memory::copy(to.data(), from.data(), static_cast<std::size_t>(rows) * sizeof(T), stream);
}
template <class T>
void copy_rows(Vec3Buffer<T>& to, const Vec3Buffer<T>& from, Index rows, Stream& stream) {
  copy_rows(to.x, from.x, rows, stream);
  copy_rows(to.y, from.y, rows, stream);
  copy_rows(to.z, from.z, rows, stream);
}

template <class Precision>
class ParticleCopy {
 public:
  /// Rows [0, particles.count), of which `rows_used` (on the device) are some particle's.
  void take(const Particles<Precision>& particles, const Index* rows_used, Stream& stream) {
    count_ = particles.count;
    used_.resize(1);
    memory::copy(used_.data(), rows_used, sizeof(Index), stream);
    for_each_array(state_, force_, particles.state, particles.sums.force,
                   [&](auto& to, const auto& from) {
                     to.resize(count_);
                     copy_rows(to, from, count_, stream);
                   });
  }

  /// Into arrays that have room for it.
  void give_back(Particles<Precision>& particles, Stream& stream) const {
    for_each_array(particles.state, particles.sums.force, state_, force_,
                   [&](auto& to, const auto& from) { copy_rows(to, from, count_, stream); });
  }

  const Index* rows_used() const { return used_.data(); }

 private:
  using Accumulator = typename Precision::Accumulator;

  /// Whatever steps to come depend on.
  template <class Copy>
  static void for_each_array(ParticleState<Precision>& to, Vec3Buffer<Accumulator>& to_force,
                             const ParticleState<Precision>& from,
                             const Vec3Buffer<Accumulator>& from_force, const Copy& copy) {
    copy(to.position, from.position);
    copy(to.velocity, from.velocity);
    copy(to.image, from.image);
    copy(to.cell, from.cell);
    copy(to.id, from.id);
    copy(to.type, from.type);
    copy(to_force, from_force);
  }

  Index count_ = 0;
  ParticleState<Precision> state_;
  Vec3Buffer<Accumulator> force_;
  Buffer<Index> used_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
