// The sum over one target's partners in whole quanta of force (core/interactions/force_quanta.hpp),
// of coordinates on a lattice: docs/decisions/0047-whole-quanta-on-a-gpu.md.
#pragma once

#include <bit>
#include <cstdint>

#include "core/device/least_of.hpp"
#include "core/interactions/force_quanta.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Pairs that are too near for quanta come out wrong: whether there were any is known in the end.
/// Then all sources have to be gone through once more, and these left out.
template <class Precision, Wanted wanted, class Interaction>
struct TargetQuanta {
  using Sum = TargetSum<Precision, wanted>;
  /// So many forces after each other, and carry() has to be called.
  static constexpr Index most_at_once = (Interaction::most_forces + 1) / 2;

  static constexpr auto bits_of_far_away = std::bit_cast<std::uint32_t>(Interaction::far_away);

  Vec3<std::uint32_t> bits;    ///< of forces with their anchors, modulo 2^32
  std::uint32_t forces = 0;    ///< that are in there
  Vec3<std::int64_t> carried;  ///< [quanta]
  std::uint32_t least_r2 = bits_of_far_away, before = bits_of_far_away;
  double energy = 0.0, virial = 0.0;

  /// `exact`, `counts`: as `exact` and `is_other` of TargetSum::add_in_step(). `number`: of this
  /// source in a group of two or four, all of which are added.
  template <class Exact>
  PENCILBOX_DEVICE_FUNCTION void add_in_step(const Interaction& interaction, int number,
                                             const Vec3<float>& separation, const Exact& exact,
                                             bool counts) {
    const float r2 = squared(separation);
    bits += interaction.bits(r2, separation, counts);
    ++forces;
    note_distance(number, counts ? std::bit_cast<std::uint32_t>(r2) : bits_of_far_away);
    if constexpr (wanted == Wanted::forces_and_energies) {
      if (counts && interaction.near_range(r2)) add_energies(interaction, exact());
    }
  }

  /// The force alone, of a pair that is not too near.
  PENCILBOX_DEVICE_FUNCTION void add_if_far(const Interaction& interaction,
                                            const Vec3<float>& separation, bool counts) {
    const float r2 = squared(separation);
    bits += interaction.bits(r2, separation, counts && !interaction.is_too_near(r2));
    ++forces;
  }
  /// In double, of one that is.
  PENCILBOX_DEVICE_FUNCTION static Vec3<double> force_if_near(const Interaction& interaction,
                                                              const Vec3<float>& separation,
                                                              bool counts) {
    if (!counts || !interaction.is_too_near(squared(separation))) return {};
    return interaction.exact_force(separation);
  }

  /// Before the sum of 32 bits can be full.
  PENCILBOX_DEVICE_FUNCTION void carry(const Interaction& interaction) {
    if (forces >= static_cast<std::uint32_t>(most_at_once)) carry_all(interaction);
  }

  PENCILBOX_DEVICE_FUNCTION bool needs_correction(const Interaction& interaction) const {
    return interaction.is_too_near(std::bit_cast<float>(least_r2));
  }

  /// Its force in the interaction's units.
  PENCILBOX_DEVICE_FUNCTION Sum whole(const Interaction& interaction) {
    carry_all(interaction);
    Sum sum;
    sum.force = interaction.quantum * carried.template to<double>();
    sum.energy = energy;
    sum.virial = virial;
    return sum;
  }

 private:
  /// Bits of positive numbers are in their order, and the least of three takes one instruction.
  PENCILBOX_DEVICE_FUNCTION void note_distance(int number, std::uint32_t bits_of_r2) {
    if (number % 2 == 0) {
      before = bits_of_r2;
    } else {
      least_r2 = least_of(least_r2, before, bits_of_r2);
    }
  }

  PENCILBOX_DEVICE_FUNCTION void carry_all(const Interaction& interaction) {
    carried += interaction.quanta(bits, static_cast<int>(forces))
                   .template to<std::int32_t>()
                   .template to<std::int64_t>();
    bits = {};
    forces = 0;
  }

  PENCILBOX_DEVICE_FUNCTION void add_energies(const Interaction& interaction,
                                              const Vec3<double>& separation) {
    Sum sum;
    sum.add_sums_at(interaction, separation.template to<float>(), 0, 0);
    energy += sum.energy;
    virial += sum.virial;
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
