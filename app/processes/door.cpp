#include "app/processes/door.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/processes/system_error.hpp"

namespace pencilbox {
namespace {

constexpr const char* variable = "PENCILBOX_DOOR";
constexpr std::array standard_descriptors{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
constexpr std::size_t descriptor_bytes = sizeof(standard_descriptors);

/// Of the first rank, as long as the program lives.
int way_back = -1;

struct Address {
  sockaddr_un socket{};
  socklen_t length = 0;
};

/// In the abstract namespace of Linux: there is no file that could be left behind.
Address address_of(const std::string& name) {
  Address address;
  address.socket.sun_family = AF_UNIX;
  std::memcpy(address.socket.sun_path + 1, name.data(),
              std::min(name.size(), sizeof(address.socket.sun_path) - 1));
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

/// A message of one byte with room for the descriptors beside it.
class Message {
 public:
  Message() {
    header_.msg_iov = &text_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_.data();
    header_.msg_controllen = control_.size();
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  msghdr* header() { return &header_; }
  cmsghdr* control() { return CMSG_FIRSTHDR(&header_); }

 private:
  char byte_ = 0;
  iovec text_{&byte_, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptor_bytes)> control_{};
  msghdr header_{};
};

bool hand_over_descriptors(int to) {
  Message message;
  cmsghdr* const control = message.control();
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(descriptor_bytes);
  std::memcpy(CMSG_DATA(control), standard_descriptors.data(), descriptor_bytes);
  return ::sendmsg(to, message.header(), MSG_NOSIGNAL) == 1;
}

}  // namespace

Door::Door() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (listener_ < 0) throw_system_error("cannot make a socket");
  std::random_device random;
  const std::string name = fmt::format("pencilbox-{}-{:08x}{:08x}", ::getpid(), random(), random());
  const Address address = address_of(name);
  const auto* const socket = reinterpret_cast<const sockaddr*>(&address.socket);
  if (::bind(listener_, socket, address.length) != 0 || ::listen(listener_, 1) != 0) {
    ::close(listener_);
    throw_system_error("cannot listen at a socket");
  }
  setting_ = fmt::format("{}={}", variable, name);
}

Door::~Door() {
  if (guest_ >= 0) ::close(guest_);
  ::close(listener_);
}

std::optional<pid_t> Door::let_in() {
  const int guest = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (guest < 0) return {};
  ucred who{};
  socklen_t size = sizeof(who);
  const bool is_known = ::getsockopt(guest, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (guest_ >= 0 || !is_known || who.uid != ::getuid() || !hand_over_descriptors(guest)) {
    ::close(guest);
    return {};
  }
  guest_ = guest;
  return who.pid;
}

bool Door::is_all_said() const {
  char byte = 0;
  return guest_ >= 0 && ::recv(guest_, &byte, 1, MSG_DONTWAIT) == 1;
}

void pass_door() {
  const char* const name = std::getenv(variable);
  if (name == nullptr) return;
  const Address address = address_of(name);
  ::unsetenv(variable);
  way_back = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (way_back < 0) throw_system_error("cannot make a socket");
  const auto* const socket = reinterpret_cast<const sockaddr*>(&address.socket);
  if (::connect(way_back, socket, address.length) != 0)
    throw_system_error("cannot reach who started the ranks");
  Message message;
  if (::recvmsg(way_back, message.header(), MSG_CMSG_CLOEXEC) != 1) {
    throw_system_error("who started the ranks has gone");
  }
  const cmsghdr* const control = message.control();
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) {
    throw_system_error("who started the ranks hands nothing over");
  }
  std::array<int, 3> theirs{};
  std::memcpy(theirs.data(), CMSG_DATA(control), descriptor_bytes);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    ::dup2(theirs[i], standard_descriptors[i]);
    ::close(theirs[i]);
  }
}

void say_goodbye() {
  if (way_back < 0) return;
  const char byte = 1;
  static_cast<void>(::send(way_back, &byte, 1, MSG_NOSIGNAL));
}

}  // namespace pencilbox
