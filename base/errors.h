#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pacbench {

/// One thing wrong with an input: where it is, what was found and what was expected.
struct Issue {
  std::string pointer;  ///< JSON pointer into the document; empty for the whole of it.
  std::string message;
};

/// Invalid input. Holds every problem found, so that a person can correct all of them at once.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(std::string source, std::vector<Issue> issues);
  /// One problem.
  ConfigError(std::string source, std::string pointer, std::string message)
      : ConfigError{std::move(source), std::vector{Issue{std::move(pointer), std::move(message)}}} {
  }

  const std::string& source() const { return source_; }
  const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::string source_;
  std::vector<Issue> issues_;
};

/// A message or line breaks the protocol between two programs, or the other program refused a
/// request, did not answer in time, or went away.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A program that pacbench started could not do its work. Where the program ended with an error,
/// the message usually holds the command as one could type it, how the program ended, and what it
/// wrote to stderr.
class CommandFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench
