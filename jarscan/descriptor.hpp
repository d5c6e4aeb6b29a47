// Descriptors and names (JVMS 4.2, 4.3), checked as the JVM checks those of classes it does not
// trust.
#pragma once

#include <cstddef>
#include <string_view>

namespace rowgate::jarscan {

// Length of the field descriptor at the start of `text` ("I", "[[Lp/C;"), 0 when there is none.
// Class names in it are checked; at most 255 dimensions.
std::size_t field_descriptor_length(std::string_view text);

bool is_field_descriptor(std::string_view text);
// "(ILp/C;)V"; parameters take at most 255 slots.
bool is_method_descriptor(std::string_view text);

// "p/C", or an array's descriptor where a Class constant may name one.
bool is_class_name(std::string_view name);
// A field's name; also a method's, when it is not special.
bool is_unqualified_name(std::string_view name);
// Also `<init>` and `<clinit>`; no other `<` or `>`.
bool is_method_name(std::string_view name);

}  // namespace rowgate::jarscan
