// The machine that measurements are made on, for their provenance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rowgate::tools {

// "AMD EPYC 7763, 2 of 64 processors": the model, how many this process may use and how many there
// are. What cannot be learnt is left out; "unknown" when nothing can.
std::string cpu_text();

std::uint64_t memory_bytes();  // physical; 0 when it cannot be learnt

// "ext4", "overlay", "type 0x9123683e": of the file system that holds the folder.
std::string file_system_text(const std::filesystem::path& folder);

}  // namespace rowgate::tools
