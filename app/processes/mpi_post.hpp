// The post between processes, by MPI: one rank in each.
#pragma once

#include <string>
#include <vector>

#include "app/ranks/post.hpp"

namespace pencilbox {

class MpiPost final : public Post {
 public:
  /// Joins the processes that a launcher has started together; it may be done once in the life of a
  /// process. Throws SystemError with MPI's words, or where MPI sees another number of processes
  /// than the launcher has announced.
  explicit MpiPost(int announced);
  ~MpiPost() override = default;
  MpiPost(const MpiPost&) = delete;
  MpiPost& operator=(const MpiPost&) = delete;

  int ranks() const override { return ranks_; }
  const std::vector<int>& here() const override { return here_; }
  NodePlace node_place() const override { return node_place_; }
  std::vector<Mail> exchange(std::vector<Mail> posted) override;
  void carry(const std::vector<Parcel>& going, const std::vector<Parcel>& coming) override;
  void meet() override;

  /// "rank 2 on node17"
  std::string name() const;

  /// Ends what all processes do together, from the first rank on: the others stop to follow. Where
  /// some are left in the middle of something, all are ended with this exit code, and it does not
  /// return.
  void leave(int exit_code);

  /// Ends all processes with this exit code.
  [[noreturn]] void abort(int exit_code) const;

 private:
  int ranks_ = 1;
  std::vector<int> here_;
  NodePlace node_place_;
};

/// What MPI this is, in one line; and whether its launcher takes Open MPI's options.
std::string mpi_library();
bool is_open_mpi();

}  // namespace pencilbox
