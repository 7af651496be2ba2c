// A test program is made of its own folder's files only; this brings in the part that it shares with others.
#include "support/programs.cc"  // NOLINT(bugprone-suspicious-include)
