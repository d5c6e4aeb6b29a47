// Reads every class of a folder's jars with the class-file library that javap is made of, and prints one
// line a class: a digest of each part, in the form that tests/unit/link/class_digest.cpp prints from ours.
//
//   java --add-modules jdk.jdeps --add-exports jdk.jdeps/com.sun.tools.classfile=ALL-UNNAMED \
//        ClassDigest.java FOLDER
//
// A line is `jar!/entry`, then for each part its CRC-32 and length: header, constant pool, fields,
// methods, code, stack map frames, attributes. What a part is made of: numbers as four bytes, texts as
// their length and their modified UTF-8. `rejected` instead of digests when a class cannot be read.
// Needs a JDK 17 to 23: exit status 77 without one.
import com.sun.tools.classfile.Attribute;
import com.sun.tools.classfile.BootstrapMethods_attribute;
import com.sun.tools.classfile.ClassFile;
import com.sun.tools.classfile.Code_attribute;
import com.sun.tools.classfile.ConstantPool;
import com.sun.tools.classfile.ConstantPoolException;
import com.sun.tools.classfile.Field;
import com.sun.tools.classfile.InnerClasses_attribute;
import com.sun.tools.classfile.Instruction;
import com.sun.tools.classfile.LineNumberTable_attribute;
import com.sun.tools.classfile.Method;
import com.sun.tools.classfile.NestHost_attribute;
import com.sun.tools.classfile.NestMembers_attribute;
import com.sun.tools.classfile.PermittedSubclasses_attribute;
import com.sun.tools.classfile.Record_attribute;
import com.sun.tools.classfile.SourceFile_attribute;
import com.sun.tools.classfile.StackMapTable_attribute;
import com.sun.tools.classfile.StackMapTable_attribute.verification_type_info;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

public class ClassDigest {
  static byte[] buffer = new byte[1 << 16];
  static int size = 0;
  static final StringBuilder line = new StringBuilder();
  static ConstantPool pool;
  static byte[][] texts;  // modified UTF-8 of the pool's Utf8 entries, made once each

  static void room(int bytes) {
    if (size + bytes > buffer.length) buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + bytes));
  }

  static void number(int value) {
    room(4);
    buffer[size++] = (byte) (value >>> 24);
    buffer[size++] = (byte) (value >>> 16);
    buffer[size++] = (byte) (value >>> 8);
    buffer[size++] = (byte) value;
  }

  static void bytes(byte[] text) {
    number(text.length);
    room(text.length);
    System.arraycopy(text, 0, buffer, size, text.length);
    size += text.length;
  }

  static byte[] modifiedUtf8(String text) {
    byte[] out = new byte[text.length() * 3];
    int at = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 1 && c <= 0x7F) {
        out[at++] = (byte) c;
      } else if (c <= 0x7FF) {
        out[at++] = (byte) (0xC0 | c >> 6);
        out[at++] = (byte) (0x80 | c & 0x3F);
      } else {
        out[at++] = (byte) (0xE0 | c >> 12);
        out[at++] = (byte) (0x80 | c >> 6 & 0x3F);
        out[at++] = (byte) (0x80 | c & 0x3F);
      }
    }
    return Arrays.copyOf(out, at);
  }

  static void utf8(int index) throws ConstantPoolException {
    if (index == 0) {
      number(0);
      return;
    }
    if (texts[index] == null) texts[index] = modifiedUtf8(pool.getUTF8Value(index));
    bytes(texts[index]);
  }

  static void className(int index) throws ConstantPoolException {
    utf8(index == 0 ? 0 : pool.getClassInfo(index).name_index);
  }

  static void endPart() {
    CRC32 crc = new CRC32();
    crc.update(buffer, 0, size);
    line.append('\t').append(Long.toHexString(crc.getValue())).append('.').append(size);
    size = 0;
  }

  static void header(ClassFile file) throws ConstantPoolException {
    number(file.minor_version);
    number(file.major_version);
    number(file.access_flags.flags);
    className(file.this_class);
    className(file.super_class);
    number(file.interfaces.length);
    for (int index : file.interfaces) className(index);
  }

  static void nameAndType(int index) throws ConstantPoolException {
    var entry = (ConstantPool.CONSTANT_NameAndType_info) pool.get(index);
    utf8(entry.name_index);
    utf8(entry.type_index);
  }

  static void constant(ConstantPool.CPInfo entry) throws ConstantPoolException {
    if (entry instanceof ConstantPool.CONSTANT_Utf8_info) {
      bytes(modifiedUtf8(((ConstantPool.CONSTANT_Utf8_info) entry).value));
    } else if (entry instanceof ConstantPool.CONSTANT_Integer_info) {
      number(((ConstantPool.CONSTANT_Integer_info) entry).value);
    } else if (entry instanceof ConstantPool.CONSTANT_Float_info) {
      number(Float.floatToRawIntBits(((ConstantPool.CONSTANT_Float_info) entry).value));
    } else if (entry instanceof ConstantPool.CONSTANT_Long_info) {
      long value = ((ConstantPool.CONSTANT_Long_info) entry).value;
      number((int) (value >>> 32));
      number((int) value);
    } else if (entry instanceof ConstantPool.CONSTANT_Double_info) {
      long value = Double.doubleToRawLongBits(((ConstantPool.CONSTANT_Double_info) entry).value);
      number((int) (value >>> 32));
      number((int) value);
    } else if (entry instanceof ConstantPool.CONSTANT_Class_info) {
      utf8(((ConstantPool.CONSTANT_Class_info) entry).name_index);
    } else if (entry instanceof ConstantPool.CONSTANT_String_info) {
      utf8(((ConstantPool.CONSTANT_String_info) entry).string_index);
    } else if (entry instanceof ConstantPool.CONSTANT_MethodType_info) {
      utf8(((ConstantPool.CONSTANT_MethodType_info) entry).descriptor_index);
    } else if (entry instanceof ConstantPool.CONSTANT_Module_info) {
      utf8(((ConstantPool.CONSTANT_Module_info) entry).name_index);
    } else if (entry instanceof ConstantPool.CONSTANT_Package_info) {
      utf8(((ConstantPool.CONSTANT_Package_info) entry).name_index);
    } else if (entry instanceof ConstantPool.CPRefInfo) {
      var member = (ConstantPool.CPRefInfo) entry;
      className(member.class_index);
      nameAndType(member.name_and_type_index);
    } else if (entry instanceof ConstantPool.CONSTANT_NameAndType_info) {
      utf8(((ConstantPool.CONSTANT_NameAndType_info) entry).name_index);
      utf8(((ConstantPool.CONSTANT_NameAndType_info) entry).type_index);
    } else if (entry instanceof ConstantPool.CONSTANT_MethodHandle_info) {
      number(((ConstantPool.CONSTANT_MethodHandle_info) entry).reference_kind.tag);
      number(((ConstantPool.CONSTANT_MethodHandle_info) entry).reference_index);
    } else if (entry instanceof ConstantPool.CONSTANT_Dynamic_info) {
      number(((ConstantPool.CONSTANT_Dynamic_info) entry).bootstrap_method_attr_index);
      nameAndType(((ConstantPool.CONSTANT_Dynamic_info) entry).name_and_type_index);
    } else if (entry instanceof ConstantPool.CONSTANT_InvokeDynamic_info) {
      number(((ConstantPool.CONSTANT_InvokeDynamic_info) entry).bootstrap_method_attr_index);
      nameAndType(((ConstantPool.CONSTANT_InvokeDynamic_info) entry).name_and_type_index);
    } else {
      throw new IllegalStateException("constant " + entry.getTag());
    }
  }

  static void constants() throws ConstantPoolException {
    number(pool.size());
    number(0);
    for (int i = 1; i < pool.size();) {
      ConstantPool.CPInfo entry = pool.get(i);
      number(entry.getTag());
      constant(entry);
      i += entry.size();
      if (entry.size() == 2) number(0);
    }
  }

  static boolean refersToConstant(int opcode) {
    return opcode >= 18 && opcode <= 20 || opcode >= 178 && opcode <= 187 || opcode == 189 || opcode == 192
        || opcode == 193 || opcode == 197;
  }

  static void code(int method, Code_attribute code) {
    number(method);
    number(code.max_stack);
    number(code.max_locals);
    bytes(code.code);
    int counted = size, count = 0;
    number(0);
    for (Instruction instruction : code.getInstructions()) {
      int opcode = instruction.getOpcode().opcode;
      if (!refersToConstant(opcode)) continue;
      number(instruction.getPC());
      number(opcode);
      number(opcode == 18 ? instruction.getUnsignedByte(1) : instruction.getUnsignedShort(1));
      count++;
    }
    int end = size;
    size = counted;
    number(count);
    size = end;
    number(code.exception_table.length);
    for (var handler : code.exception_table) {
      number(handler.start_pc);
      number(handler.end_pc);
      number(handler.handler_pc);
      number(handler.catch_type);
    }
    for (Attribute attribute : code.attributes) {
      if (!(attribute instanceof LineNumberTable_attribute)) continue;
      var lines = ((LineNumberTable_attribute) attribute).line_number_table;
      number(lines.length);
      for (var entry : lines) {
        number(entry.start_pc);
        number(entry.line_number);
      }
    }
  }

  // tag << 16 | operand; a parameter's class is not in the pool: 0xFFFF.
  static int type(verification_type_info type) {
    int operand = 0;
    if (type instanceof StackMapTable_attribute.Object_variable_info)
      operand = ((StackMapTable_attribute.Object_variable_info) type).cpool_index;
    if (type instanceof StackMapTable_attribute.Uninitialized_variable_info)
      operand = ((StackMapTable_attribute.Uninitialized_variable_info) type).offset;
    return type.tag << 16 | operand;
  }

  static List<Integer> initialLocals(ClassFile file, Method method) throws ConstantPoolException {
    List<Integer> locals = new ArrayList<>();
    String name = method.getName(pool), descriptor = method.descriptor.getValue(pool);
    if ((method.access_flags.flags & 8) == 0)
      locals.add(name.equals("<init>") && file.super_class != 0 ? 6 << 16 : 7 << 16 | 0xFFFF);
    for (int i = 1; descriptor.charAt(i) != ')'; i++) {
      char c = descriptor.charAt(i);
      switch (c) {
        case 'J': locals.add(4 << 16); break;
        case 'F': locals.add(2 << 16); break;
        case 'D': locals.add(3 << 16); break;
        case 'L':
        case '[':
          locals.add(7 << 16 | 0xFFFF);
          while (descriptor.charAt(i) == '[') i++;
          if (descriptor.charAt(i) == 'L') i = descriptor.indexOf(';', i);
          break;
        default: locals.add(1 << 16);
      }
    }
    return locals;
  }

  static void frames(ClassFile file, Method method, int number, Code_attribute code) throws ConstantPoolException {
    var table = (StackMapTable_attribute) code.attributes.get(Attribute.StackMapTable);
    if (table == null || table.number_of_entries == 0) return;
    number(number);
    number(table.entries.length);
    List<Integer> locals = initialLocals(file, method);
    int bci = -1;
    for (var frame : table.entries) {
      List<Integer> stack = new ArrayList<>();
      bci += frame.getOffsetDelta() + 1;
      if (frame instanceof StackMapTable_attribute.full_frame) {
        var full = (StackMapTable_attribute.full_frame) frame;
        locals.clear();
        for (var type : full.locals) locals.add(type(type));
        for (var type : full.stack) stack.add(type(type));
      } else if (frame instanceof StackMapTable_attribute.append_frame) {
        for (var type : ((StackMapTable_attribute.append_frame) frame).locals) locals.add(type(type));
      } else if (frame instanceof StackMapTable_attribute.chop_frame) {
        for (int i = frame.frame_type; i < 251; i++) locals.remove(locals.size() - 1);
      } else if (frame instanceof StackMapTable_attribute.same_locals_1_stack_item_frame) {
        stack.add(type(((StackMapTable_attribute.same_locals_1_stack_item_frame) frame).stack[0]));
      } else if (frame instanceof StackMapTable_attribute.same_locals_1_stack_item_frame_extended) {
        stack.add(type(((StackMapTable_attribute.same_locals_1_stack_item_frame_extended) frame).stack[0]));
      }
      number(bci);
      number(locals.size());
      for (int type : locals) number(type);
      number(stack.size());
      for (int type : stack) number(type);
    }
  }

  static void attributes(ClassFile file) throws ConstantPoolException {
    var inner = (InnerClasses_attribute) file.getAttribute(Attribute.InnerClasses);
    number(inner == null ? 0 : inner.classes.length);
    if (inner != null)
      for (var entry : inner.classes) {
        className(entry.inner_class_info_index);
        className(entry.outer_class_info_index);
        utf8(entry.inner_name_index);
        number(entry.inner_class_access_flags.flags);
      }
    var source = (SourceFile_attribute) file.getAttribute(Attribute.SourceFile);
    utf8(source == null ? 0 : source.sourcefile_index);
    var host = (NestHost_attribute) file.getAttribute(Attribute.NestHost);
    className(host == null ? 0 : host.top_index);
    var members = (NestMembers_attribute) file.getAttribute(Attribute.NestMembers);
    number(members == null ? 0 : members.members_indexes.length);
    if (members != null)
      for (int index : members.members_indexes) className(index);
    var permitted = (PermittedSubclasses_attribute) file.getAttribute(Attribute.PermittedSubclasses);
    number(permitted == null ? 0 : 1);
    number(permitted == null ? 0 : permitted.getSubtypes(pool).length);
    if (permitted != null)
      for (var type : permitted.getSubtypes(pool)) utf8(type.name_index);
    var record = (Record_attribute) file.getAttribute(Attribute.Record);
    number(record == null ? 0 : 1);
    number(record == null ? 0 : record.component_info_arr.length);
    if (record != null)
      for (var component : record.component_info_arr) {
        utf8(component.name_index);
        utf8(component.descriptor.index);
      }
    var bootstrap = (BootstrapMethods_attribute) file.getAttribute(Attribute.BootstrapMethods);
    number(bootstrap == null ? 0 : bootstrap.bootstrap_method_specifiers.length);
    if (bootstrap != null)
      for (var method : bootstrap.bootstrap_method_specifiers) {
        number(method.bootstrap_method_ref);
        number(method.bootstrap_arguments.length);
        for (int argument : method.bootstrap_arguments) number(argument);
      }
    number(file.attributes.size());
    for (Attribute attribute : file.attributes) utf8(attribute.attribute_name_index);
  }

  static void digest(byte[] bytes) throws IOException, ConstantPoolException {
    ClassFile file = ClassFile.read(new ByteArrayInputStream(bytes));
    pool = file.constant_pool;
    texts = new byte[pool.size()][];
    header(file);
    endPart();
    constants();
    endPart();
    number(file.fields.length);
    for (Field field : file.fields) {
      number(field.access_flags.flags);
      utf8(field.name_index);
      utf8(field.descriptor.index);
    }
    endPart();
    number(file.methods.length);
    for (Method method : file.methods) {
      number(method.access_flags.flags);
      utf8(method.name_index);
      utf8(method.descriptor.index);
      number(method.attributes.get(Attribute.Code) == null ? 0 : 1);
    }
    endPart();
    for (int i = 0; i < file.methods.length; i++) {
      var code = (Code_attribute) file.methods[i].attributes.get(Attribute.Code);
      if (code != null) code(i, code);
    }
    endPart();
    for (int i = 0; i < file.methods.length; i++) {
      var code = (Code_attribute) file.methods[i].attributes.get(Attribute.Code);
      if (code != null) frames(file, file.methods[i], i, code);
    }
    endPart();
    attributes(file);
    endPart();
  }

  static void jar(Path path, PrintStream out) throws IOException {
    try (ZipFile zip = new ZipFile(path.toFile())) {
      List<String> names = new ArrayList<>();
      for (ZipEntry entry : Collections.list(zip.entries()))
        if (entry.getName().endsWith(".class")) names.add(entry.getName());
      Collections.sort(names);
      for (String name : names) {
        line.setLength(0);
        line.append(path.getFileName()).append("!/").append(name);
        int start = line.length();
        size = 0;
        try {
          digest(zip.getInputStream(zip.getEntry(name)).readAllBytes());
        } catch (IOException | ConstantPoolException | RuntimeException e) {
          line.setLength(start);
          line.append("\trejected");
        }
        out.append(line).append('\n');
      }
    }
  }

  public static void main(String[] arguments) throws IOException {
    PrintStream out =
        new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    try (Stream<Path> list = Files.list(Path.of(arguments[0]))) {
      for (Path path : list.filter(p -> p.toString().endsWith(".jar")).sorted().toList()) jar(path, out);
    }
    out.flush();
  }
}
