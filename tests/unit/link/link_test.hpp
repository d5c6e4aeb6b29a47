// What the linkage tests share: the JDK of this machine and the corpus that it built.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "jarscan/jdk_image.hpp"
#include "jarscan/link.hpp"

namespace rowgate::link_test {

// Folder with <case>/{old,new,client}.jar and <case>/loaders.
const std::filesystem::path& corpus_folder();
const std::filesystem::path& jdk_home();
std::shared_ptr<const jarscan::JdkImage> jdk();

std::shared_ptr<const jarscan::ClassIndex> open_jars(
    const std::vector<std::filesystem::path>& paths);

}  // namespace rowgate::link_test
