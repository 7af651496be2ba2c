#pragma once

namespace baton::cli {

int main(int argc, char** argv);

}  // namespace baton::cli
