// What the verifier will ask about other classes when it links one (JVMS 4.10.1): a class file
// alone decides the questions ("is a B an A?"), only the answers depend on the class path. They are
// drawn here once a connector and answered for every Spark.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "jarscan/class_file.hpp"

namespace rowgate::jarscan {

// `from` is used where `to` is expected. The verifier loads `to`; when that is a class and no
// interface it loads `from` too, which must be a subclass.
struct TypeQuestion {
  std::string_view from, to;
  std::uint32_t method = 0;  // of the class file, where it is asked first
  bool caught = false;       // `from` is the type of a catch clause, `to` java/lang/Throwable
};

// The static type of the object on which a field is read or a method called, for protected members.
struct Receiver {
  std::uint16_t constant = 0;  // pool index of the member reference
  std::string_view type;
};

struct TypeFlow {
  std::vector<TypeQuestion> questions;  // each pair once, in the order of the code
  std::vector<Receiver> receivers;      // each pair once
  // Methods that could not be followed to their end: malformed, jsr/ret, or too complex.
  std::uint32_t unfollowed = 0;
};

// Follows the types through every method of class files of version 50 and later, whose
// StackMapTable makes one linear walk enough; older class files are verified by inference and give
// no questions. Views in the result are valid until the next run and while the class file's bytes
// are. Reusable; not thread-safe.
class TypeFlowAnalysis {
 public:
  TypeFlowAnalysis();
  ~TypeFlowAnalysis();
  TypeFlowAnalysis(const TypeFlowAnalysis&) = delete;
  TypeFlowAnalysis& operator=(const TypeFlowAnalysis&) = delete;

  // `file` of depth `code`.
  void run(const ClassFile& file, TypeFlow& out);

  struct State;  // internal

 private:
  std::unique_ptr<State> state_;
};

}  // namespace rowgate::jarscan
