#include "app/processes/mpi_post.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <fmt/format.h>
#include <mpi.h>

#include "core/error.hpp"
#include "core/pages.hpp"

namespace pencilbox {
namespace {

/// An MPI count is an int.
constexpr std::size_t longest_piece = std::size_t{1} << 30;

void require(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(status, words.data(), &length);
  throw SystemError(fmt::format(
      "{}: {}", what,
      std::string_view(words.data(), words.size()).substr(0, static_cast<std::size_t>(length))));
}

NodePlace place_on_node() {
  MPI_Comm node = MPI_COMM_NULL;
  require(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
  NodePlace place;
  MPI_Comm_rank(node, &place.rank);
  MPI_Comm_size(node, &place.ranks);
  MPI_Comm_free(&node);
  return place;
}

/// Calls use(first byte, number of bytes) for pieces that MPI can count.
template <class Byte, class Use>
void in_pieces(Byte* data, std::size_t size, const Use& use) {
  for (std::size_t at = 0; at < size; at += longest_piece) {
    use(data + at, static_cast<int>(std::min(longest_piece, size - at)));
  }
}

/// Messages on their way, all of them to be waited for.
class Messages {
 public:
  void receive(std::byte* to, std::size_t size, int from) {
    in_pieces(to, size, [&](std::byte* piece, int length) {
      require(MPI_Irecv(piece, length, MPI_BYTE, from, tag, MPI_COMM_WORLD, next()), "MPI_Irecv");
    });
  }
  void send(const std::byte* from, std::size_t size, int to) {
    in_pieces(from, size, [&](const std::byte* piece, int length) {
      require(MPI_Isend(piece, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, next()), "MPI_Isend");
    });
  }
  void wait() {
    require(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  }

 private:
  static constexpr int tag = 0;

  MPI_Request* next() {
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
  }

  std::vector<MPI_Request> requests_;
};

}  // namespace

MpiPost::MpiPost(int announced) {
  int provided = 0;
  require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  here_ = {rank};
  if (ranks_ != announced) {
    const int seen = ranks_;
    MPI_Finalize();
    throw SystemError(fmt::format(
        "the launcher has started {} processes, of which {} sees {}: it is another MPI's, or was "
        "not told to serve MPI (srun --mpi=pmix)",
        announced, mpi_library(), seen));
  }
  node_place_ = place_on_node();
}

std::vector<Mail> MpiPost::exchange(std::vector<Mail> posted) {
  const auto ranks = static_cast<std::size_t>(ranks_);
  const int self = here_.front();
  Mail& mine = posted.front();
  std::vector<std::uint64_t> sent(ranks), coming(ranks);
  for (std::size_t to = 0; to < ranks; ++to) sent[to] = mine[to].bytes().size();
  require(
      MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD),
      "MPI_Alltoall");
  std::vector<LargeVector<std::byte>> arrived(ranks);
  Messages messages;
  for (int other = 0; other < ranks_; ++other) {
    const auto at = static_cast<std::size_t>(other);
    if (other == self) continue;
    arrived[at] = large_vector<std::byte>(coming[at]);
    messages.receive(arrived[at].data(), arrived[at].size(), other);
  }
  for (int other = 0; other < ranks_; ++other) {
    const auto& bytes = mine[static_cast<std::size_t>(other)].bytes();
    if (other != self) messages.send(bytes.data(), bytes.size(), other);
  }
  messages.wait();
  std::vector<Mail> mail(1, Mail(ranks));
  for (std::size_t from = 0; from < ranks; ++from) {
    mail.front()[from] = Letter(std::move(arrived[from]));
  }
  const auto own = static_cast<std::size_t>(self);
  mail.front()[own] = std::move(mine[own]);
  return mail;
}

/// In one piece each: who gets a parcel does not know how long it is.
void MpiPost::carry(const std::vector<Parcel>& going, const std::vector<Parcel>& coming) {
  Messages messages;
  for (const Parcel& parcel : coming) {
    if (parcel.size > longest_piece) {
      throw SystemError(
          fmt::format("a letter of a step may have {} bytes, got {}", longest_piece, parcel.size));
    }
    messages.receive(parcel.data, parcel.size, parcel.other);
  }
  for (const Parcel& parcel : going) messages.send(parcel.data, parcel.size, parcel.other);
  messages.wait();
}

/// MPI itself would look again and again. Soon at first: most meetings are short.
void MpiPost::meet() {
  using namespace std::chrono_literals;
  constexpr std::chrono::microseconds longest = 5ms;
  std::chrono::microseconds nap = 20us;
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(MPI_COMM_WORLD, &request), "MPI_Ibarrier");
  while (true) {
    int are_all_here = 0;
    require(MPI_Test(&request, &are_all_here, MPI_STATUS_IGNORE), "MPI_Test");
    if (are_all_here != 0) return;
    std::this_thread::sleep_for(nap);
    nap = std::min(longest, nap + nap / 4);
  }
}

std::string MpiPost::name() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> node{};
  int length = 0;
  MPI_Get_processor_name(node.data(), &length);
  return fmt::format("rank {} on {}", here_.front(), node.data());
}

void MpiPost::leave(int exit_code) {
  if (is_given_up()) abort(exit_code);
  if (is_first()) {
    meet();
    from_the_first({});
  }
  MPI_Finalize();
}

void MpiPost::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
  int length = 0;
  MPI_Get_library_version(words.data(), &length);
  const std::string text(words.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

bool is_open_mpi() { return mpi_library().find("Open MPI") != std::string::npos; }

}  // namespace pencilbox
