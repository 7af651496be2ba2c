#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::safety {

using Words = std::vector<std::string>;

/// The words of a command written in the one way that patterns look for: the program without its folder, options of rm,
/// chmod, chown and `git push` one by one and sorted, long ones as short ones, git's own options taken out, paths
/// without
/// `//`, `/.` and a `/` at the end. `folder`: where the command runs, if the script said so (`cd / && rm -r *`).
Words usual_form(Words words, const std::string& folder);

/// Of `rm -f -r -v x` in its usual form: `rm -rf x`, as people write it and look for it. Empty for anything else.
Words customary_form(const Words& usual);

/// The words on one line. A blank within a word is written `␣`, so that a word is always `\S+`.
std::string to_line(const Words& words);

/// Takes off one program that only starts another (`sudo -u me`, `env A=b`, `nohup`, `timeout 5`, `xargs -n1`), words
/// of the language (`then`, `do`, `!`) or assignments. False if there is none in front.
bool peel(Words& words);

/// The script that the command hands to a shell in an argument: `bash -c TEXT`, `eval TEXT`, `ssh host TEXT`. Empty if
/// there is none.
std::string script_of(const Words& words);

/// A shell, or su, or ssh, that takes its commands from what it reads.
bool reads_script(const Words& words);

/// The commands of `find … -exec COMMAND ;`.
std::vector<Words> commands_of_find(const Words& words);

/// Absolute, or relative to home, without what says nothing.
std::string plain_path(std::string_view path);

}  // namespace baton::safety
