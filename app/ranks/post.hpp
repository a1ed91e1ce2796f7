// How letters travel between ranks, which may be in one process or in many. All ranks make the same
// calls in the same order.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "app/ranks/mail.hpp"

namespace pencilbox {

/// The rank that the program's command runs on: it tells the others what to do, and what they have
/// found comes together here.
inline constexpr int first_rank = 0;

/// Of a process among those on its machine.
struct NodePlace {
  int rank = 0;
  int ranks = 1;
};

/// Bytes that lie where they are, and what rank of this process has them, or room for them, for
/// another.
struct Parcel {
  int mine = 0;
  int other = 0;
  std::byte* data = nullptr;
  std::size_t size = 0;
};

class Post {
 public:
  virtual ~Post() = default;

  /// Of all processes together.
  virtual int ranks() const = 0;
  /// Those of this process, ascending.
  virtual const std::vector<int>& here() const = 0;

  virtual NodePlace node_place() const { return {}; }

  /// `posted[i][to]`: what rank here()[i] has for rank `to`. Returns `[i][from]`: what it gets.
  /// Throws SystemError.
  virtual std::vector<Mail> exchange(std::vector<Mail> posted) = 0;

  /// Between ranks that know of each other's parcels: each that goes fills one that comes, which
  /// may have more room than it needs. One each way for a pair of ranks. Throws SystemError.
  virtual void carry(const std::vector<Parcel>& going, const std::vector<Parcel>& coming) = 0;

  /// Something went wrong here while all did it together: others are left in the middle.
  void give_up() { is_given_up_ = true; }
  bool is_given_up() const { return is_given_up_; }

  bool is_first() const { return here().front() == first_rank; }
  bool has_other_processes() const { return here().size() < static_cast<std::size_t>(ranks()); }

  /// Returns when all processes have called it. May be slow to notice, and uses no core meanwhile:
  /// for what may take long.
  virtual void meet() {}

  /// What the first rank says to all other processes, one rank in each; empty on the first itself.
  Letter from_the_first(const Letter& said) {
    std::vector<Mail> posted(here().size(), Mail(static_cast<std::size_t>(ranks())));
    if (is_first()) {
      for (int to = static_cast<int>(here().size()); to < ranks(); ++to) {
        posted.front()[static_cast<std::size_t>(to)] = said;
      }
    }
    std::vector<Mail> arrived = exchange(std::move(posted));
    return is_first() ? Letter() : std::move(arrived.front()[first_rank]);
  }

  /// One letter of each rank of this process, to the first rank: [from] there, nothing elsewhere.
  Mail at_the_first(std::vector<Letter> letters) {
    std::vector<Mail> posted(here().size(), Mail(static_cast<std::size_t>(ranks())));
    for (std::size_t i = 0; i < posted.size(); ++i) posted[i][first_rank] = std::move(letters[i]);
    std::vector<Mail> arrived = exchange(std::move(posted));
    return is_first() ? std::move(arrived.front()) : Mail();
  }

 private:
  bool is_given_up_ = false;
};

/// All ranks live in this process and take turns.
class PostWithinProcess final : public Post {
 public:
  explicit PostWithinProcess(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) here_.push_back(rank);
  }

  int ranks() const override { return static_cast<int>(here_.size()); }
  const std::vector<int>& here() const override { return here_; }

  std::vector<Mail> exchange(std::vector<Mail> posted) override {
    std::vector<Mail> arrived(posted.size(), Mail(posted.size()));
    for (std::size_t from = 0; from < posted.size(); ++from) {
      for (std::size_t to = 0; to < posted.size(); ++to) {
        arrived[to][from] = std::move(posted[from][to]);
      }
    }
    return arrived;
  }

  void carry(const std::vector<Parcel>& going, const std::vector<Parcel>& coming) override {
    for (const Parcel& to : coming) {
      for (const Parcel& from : going) {
        if (from.mine != to.other || from.other != to.mine) continue;
        std::memcpy(to.data, from.data, from.size);
      }
    }
  }

 private:
  std::vector<int> here_;
};

}  // namespace pencilbox
