// Reads the peers' cases (data/peers/README.md describes the format) and puts their POMs into a
// folder that is a repository. Each case's groups get a prefix of their own, so that all cases fit
// into one folder, and into one run of Maven.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pom_folder.hpp"

namespace rowgate::tests {

struct PeerExpectation {
  std::string peer;                // what the peer expects
  std::vector<std::string> maven;  // what Maven does instead; empty: the same
  std::string why;
};

struct PeerCase {
  std::string name;
  std::string prefix;  // of every group
  std::string root;    // "g:a:v", with the prefix
  std::string root_body;
  std::string no_project;  // why Maven cannot be given the root as a project; empty: it can
  std::vector<PeerExpectation> expectations;
};

inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(line, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

class PeerCases {
 public:
  // Reads a file of cases, and writes their POMs into `folder`. `id` keeps files' prefixes apart.
  PeerCases(const std::string& path, std::string id, PomFolder& folder)
      : id_(std::move(id)), folder_(folder) {
    const std::string text = base::read_file(path).value();
    for (const std::string_view line : base::split(text, '\n')) take(std::string(line));
    end_case();
  }

  const std::vector<PeerCase>& cases() const { return cases_; }

 private:
  struct Pom {
    std::string packaging = "jar";
    std::string head, properties, dependencies, managed;  // head: parent, relocation
    std::vector<std::string> profiles;                    // opened, their lists still to come
    std::vector<std::pair<std::string, std::string>> profile_lists;  // dependencies, managed

    std::string body() const {
      std::string text = head + "<properties>" + properties + "</properties>" +
                         "<dependencyManagement><dependencies>" + managed +
                         "</dependencies></dependencyManagement><dependencies>" + dependencies +
                         "</dependencies>";
      if (profiles.empty()) return text;
      text += "<profiles>";
      for (std::size_t i = 0; i < profiles.size(); ++i)
        text += "<profile><id>p" + std::to_string(i) + "</id>" + profiles[i] + "<dependencies>" +
                profile_lists[i].first + "</dependencies><dependencyManagement><dependencies>" +
                profile_lists[i].second + "</dependencies></dependencyManagement></profile>";
      return text + "</profiles>";
    }
  };

  static std::string element(const std::string& name, const std::string& value) {
    return "<" + name + ">" + value + "</" + name + ">";
  }

  // <groupId>…<artifactId>…<version>, the version only when there is one.
  std::string coordinate_xml(const std::string& gav) const {
    const auto parts = base::split(gav, ':');
    return element("groupId", current_.prefix + std::string(parts.at(0))) +
           element("artifactId", std::string(parts.at(1))) +
           (parts.size() > 2 ? element("version", std::string(parts[2])) : "");
  }

  std::string dependency_xml(const std::vector<std::string>& words) const {
    std::string xml = "<dependency>" + coordinate_xml(words.at(1));
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const std::string key = words[i].substr(0, equals);
      const std::string value = equals == std::string::npos ? "true" : words[i].substr(equals + 1);
      xml += key == "exclude" ? exclusions_xml(value) : element(key, value);
    }
    return xml + "</dependency>";
  }

  std::string exclusions_xml(const std::string& list) const {
    std::string xml = "<exclusions>";
    for (const std::string_view one : base::split(list, ',')) {
      const auto parts = base::split(one, ':');
      const std::string group(parts.at(0));
      xml += "<exclusion>" + element("groupId", group == "*" ? group : current_.prefix + group) +
             element("artifactId", std::string(parts.at(1))) + "</exclusion>";
    }
    return xml + "</exclusions>";
  }

  void take(const std::string& line) {
    const auto words = words_of(line);
    if (words.empty() || words[0].starts_with("#")) return;
    const std::string rest =
        words.size() < 2 ? ""
                         : line.substr(line.find(words[1], line.find(words[0]) + words[0].size()));
    if (words[0] == "case")
      begin_case(rest);
    else if (words[0] == "pom")
      begin_pom(words);
    else if (words[0] == "dep")
      pom_.dependencies += dependency_xml(words);
    else if (words[0] == "managed")
      pom_.managed += dependency_xml(words);
    else if (words[0] == "property")
      pom_.properties += element(words.at(1), words.at(2));
    else if (words[0] == "relocated")
      pom_.head += "<distributionManagement><relocation>" + coordinate_xml(words.at(1)) +
                   "</relocation></distributionManagement>";
    else if (words[0] == "profile") {
      pom_.profiles.push_back(rest);
      pom_.profile_lists.emplace_back();
    } else if (words[0] == "profile-dep")
      pom_.profile_lists.back().first += dependency_xml(words);
    else if (words[0] == "profile-managed")
      pom_.profile_lists.back().second += dependency_xml(words);
    else if (words[0] == "metadata")
      metadata_[words.at(1)] = {words.begin() + 2, words.end()};
    else if (words[0] == "root") {
      end_pom();
      current_.root = current_.prefix + words.at(1);
    } else if (words[0] == "noproject")
      current_.no_project = rest;
    else if (words[0] == "expect")
      current_.expectations.push_back({rest, {}, {}});
    else if (words[0] == "maven")
      current_.expectations.back().maven.push_back(rest);
    else if (words[0] == "why")
      current_.expectations.back().why = rest;
    else
      throw std::runtime_error("a line of peer data that nobody reads: " + line);
  }

  void begin_case(const std::string& name) {
    end_case();
    current_ = PeerCase();
    current_.name = name;
    current_.prefix = id_ + std::to_string(cases_.size()) + ".";
    metadata_.clear();
    bodies_.clear();
  }

  void end_case() {
    if (current_.name.empty()) return;
    current_.root_body = bodies_[current_.root];
    for (const auto& [artifact, versions] : metadata_)
      folder_.add_metadata(current_.prefix + artifact, versions);
    cases_.push_back(current_);
    current_ = PeerCase();
  }

  void begin_pom(const std::vector<std::string>& words) {
    end_pom();
    gav_ = words.at(1);
    const auto parts = base::split(gav_, ':');
    metadata_[std::string(parts.at(0)) + ":" + std::string(parts.at(1))].emplace_back(parts.at(2));
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (words[i].starts_with("packaging=")) pom_.packaging = words[i].substr(10);
      if (words[i].starts_with("parent="))
        pom_.head += element("parent", coordinate_xml(words[i].substr(7)));
    }
  }

  void end_pom() {
    if (gav_.empty()) return;
    bodies_[current_.prefix + gav_] = pom_.body();
    folder_.add(current_.prefix + gav_, pom_.body(), pom_.packaging);
    gav_.clear();
    pom_ = Pom();
  }

  std::string id_;
  PomFolder& folder_;
  std::vector<PeerCase> cases_;
  PeerCase current_;
  std::string gav_;  // of the POM that is being read; empty: none
  Pom pom_;
  std::map<std::string, std::vector<std::string>> metadata_;
  std::map<std::string, std::string> bodies_;
};

}  // namespace rowgate::tests
