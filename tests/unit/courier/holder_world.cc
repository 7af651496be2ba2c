// A test program is made of its own folder's files only; this brings in the part that it shares with the holder's.
#include "unit/host/holder_world.cc"  // NOLINT(bugprone-suspicious-include)
