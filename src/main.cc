#include "cli/main.h"

int main(int argc, char** argv) { return baton::cli::main(argc, argv); }
