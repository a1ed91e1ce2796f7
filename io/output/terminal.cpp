#include "io/output/terminal.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace pencilbox {

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_width;
  return size.ws_col;
}

bool is_terminal(int descriptor) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return ::isatty(descriptor) == 1 && !dumb;
}

bool wants_colour(int descriptor) {
  const char* no = std::getenv("NO_COLOR");
  return (no == nullptr || *no == '\0') && is_terminal(descriptor);
}

std::string bold(const std::string& text) { return "\033[1m" + text + "\033[0m"; }
std::string bold_red(const std::string& text) { return "\033[1;31m" + text + "\033[0m"; }

}  // namespace pencilbox
