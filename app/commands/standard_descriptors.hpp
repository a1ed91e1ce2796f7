// Standard input, output and error of a program that was started without some of them.
#pragma once

namespace pencilbox {

/// A program that is started with a standard descriptor closed (`>&-`, some daemons) gets that
/// number for the first file that it opens, and what is meant for the terminal is written into that
/// file. So each of 0, 1 and 2 that is closed is opened on /dev/null. Before anything else is
/// opened; ends the program where even that is not possible.
void open_closed_standard_descriptors();

}  // namespace pencilbox
