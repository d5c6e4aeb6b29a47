// Asks this JVM about every reference that the linkage check judged, and says where the two disagree.
//
//   java --add-exports java.base/sun.nio.ch=ALL-UNNAMED Referee.java JUDGEMENTS
//
// with whatever else Spark's launcher opens of the JDK's modules, whose exports are not judged.
//
// JUDGEMENTS is written by the test program link_referee; tab separated lines:
//   W label order parent-jars child-jars     a world; jars separated by ':'; order: parent_first, one_loader
//   C class verdict link-verdict types       a class of the child: OK, or the error when it is loaded and
//                                            when it is linked; the classes of its constructors' parameters
//   R kind interface owner name descriptor verdict   a reference of that class
//   A name descriptor                        a public method that the class leaves unimplemented
//
// How it asks: Class.forName without initialisation for classes; MethodHandles.privateLookupIn(class)
// .find* for members, which resolves and checks access as the class itself would;
// Class.isInterface for the kind of the owner; Class.getMethods for abstract methods;
// Class.getDeclaredConstructors, which links the class, for the verifier. What cannot be asked that way
// is counted by reason, never taken for agreement.
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

public class Referee {
  static final Map<String, Integer> untestable = new TreeMap<>();
  static final Map<String, Integer> agreed = new TreeMap<>();
  static final List<String> opposite = new ArrayList<>();
  static final Map<String, Integer> otherError = new TreeMap<>();

  static String world = "";
  static ClassLoader loader;
  static String className = "";
  static Class<?> type;
  static Lookup lookup;
  static Set<String> predictedAbstract = new TreeSet<>();
  // "world class" of the classes that are said not to link: asking for their members links them.
  static final Set<String> unlinkable = new TreeSet<>();

  // Not an answer: the question cannot be put to reflection.
  static class Untestable extends RuntimeException {
    Untestable(String reason) {
      super(reason);
    }
  }

  static void skip(String reason) {
    untestable.merge(reason, 1, Integer::sum);
  }

  static Class<?> named(String internal) throws ClassNotFoundException {
    String name = internal.replace('/', '.');
    return Class.forName(name, false, loader);
  }

  static MethodType methodType(String descriptor) {
    try {
      return MethodType.fromMethodDescriptorString(descriptor, loader);
    } catch (TypeNotPresentException | LinkageError e) {
      throw new Untestable("a class of the descriptor cannot be loaded");
    }
  }

  static Class<?> fieldType(String descriptor) {
    return methodType("()" + descriptor).returnType();
  }

  static String errorOf(Throwable thrown) {
    if (thrown instanceof ClassNotFoundException) return "NoClassDefFoundError";
    if (thrown.getCause() instanceof LinkageError) thrown = thrown.getCause();
    if (thrown instanceof NoSuchMethodException) return "NoSuchMethodError";
    if (thrown instanceof NoSuchFieldException) return "NoSuchFieldError";
    if (thrown instanceof IllegalAccessException) return "IllegalAccessError";
    return thrown.getClass().getSimpleName();
  }

  // OK, or the simple name of the error.
  static String ask(String kind, boolean wantsInterface, String owner, String name, String descriptor) {
    try {
      if (owner.startsWith("[")) {
        if (kind.equals("class_use")) return askClass(owner);
        throw new Untestable("the owner is an array");
      }
      Class<?> holder = named(owner);
      if (kind.equals("class_use")) return askClass(owner);
      lookup.accessClass(holder);
      if (kind.equals("instantiate"))
        return Modifier.isAbstract(holder.getModifiers()) ? "InstantiationError" : "OK";
      if (kind.startsWith("invoke") && holder.isInterface() != wantsInterface)
        return "IncompatibleClassChangeError";
      find(kind, holder, name, descriptor);
      return "OK";
    } catch (ReflectiveOperationException | LinkageError e) {
      // A lookup made for another class is refused what would ask who its caller is.
      if (String.valueOf(e.getMessage()).contains("caller-sensitive"))
        throw new Untestable("a caller-sensitive method of the JDK");
      // javac marks constructors of anonymous classes whose last parameter is no array.
      if (String.valueOf(e.getMessage()).contains("variable arity"))
        throw new Untestable("a varargs flag that reflection cannot honour");
      return errorOf(e);
    }
  }

  static String askClass(String owner) throws ReflectiveOperationException {
    Class<?> element = named(owner);
    while (element.isArray()) element = element.getComponentType();
    lookup.accessClass(element);
    return "OK";
  }

  static MethodHandle find(String kind, Class<?> holder, String name, String descriptor)
      throws ReflectiveOperationException {
    switch (kind) {
      case "get_field": return lookup.findGetter(holder, name, fieldType(descriptor));
      case "put_field": return putter(kind, holder, name, descriptor);
      case "get_static": return lookup.findStaticGetter(holder, name, fieldType(descriptor));
      case "put_static": return putter(kind, holder, name, descriptor);
      case "invoke_virtual":
      case "invoke_interface": return lookup.findVirtual(holder, name, methodType(descriptor));
      case "invoke_static": return lookup.findStatic(holder, name, methodType(descriptor));
      case "invoke_constructor": return constructor(holder, descriptor);
      case "invoke_special":
        if (name.equals("<init>")) return constructor(holder, descriptor);
        if (holder.isInterface() && holder != type && !List.of(type.getInterfaces()).contains(holder))
          throw new Untestable("special call of an interface that is no direct superinterface");
        return lookup.findSpecial(holder, name, methodType(descriptor), type);
      default: throw new Untestable("unknown kind " + kind);
    }
  }

  // Reflection refuses setters of final fields; the class itself may write its own.
  static MethodHandle putter(String kind, Class<?> holder, String name, String descriptor)
      throws ReflectiveOperationException {
    Class<?> of = fieldType(descriptor);
    try {
      return kind.equals("put_static") ? lookup.findStaticSetter(holder, name, of)
          : lookup.findSetter(holder, name, of);
    } catch (IllegalAccessException e) {
      if (holder == type) throw new Untestable("a class writes its own final field");
      throw e;
    }
  }

  // A superclass's constructor called from a subclass's may be protected; `new` may not call it.
  static MethodHandle constructor(Class<?> holder, String descriptor) throws ReflectiveOperationException {
    MethodType parameters = methodType(descriptor);
    try {
      return lookup.findConstructor(holder, parameters);
    } catch (IllegalAccessException e) {
      for (var constructor : holder.getDeclaredConstructors())
        if (Modifier.isProtected(constructor.getModifiers())
            && parameters.parameterList().equals(List.of(constructor.getParameterTypes()))
            && holder.isAssignableFrom(type))
          throw new Untestable("a protected constructor: super() and new look alike");
      throw e;
    }
  }

  static void reference(String[] line) {
    if (lookup == null) {
      skip("the class itself cannot be loaded");
      return;
    }
    String predicted = line[6];
    try {
      String actual = ask(line[1], line[2].equals("1"), line[3], line[4], line[5]);
      boolean links = !unlinkable.contains(world + " " + line[3])
          && !unlinkable.contains(world + " " + className);
      if (predicted.equals("OK") && !actual.equals("OK") && !links) {
        skip("asking links a class that is said not to link, and it does not");
        return;
      }
      compare(line[1] + " " + line[3] + "." + line[4] + line[5], predicted, actual);
    } catch (Untestable e) {
      skip(e.getMessage());
    }
  }

  static void compare(String what, String predicted, String actual) {
    if (predicted.equals("OK") != actual.equals("OK")) {
      // Looking up succeeds where only the call or the creation throws.
      if (predicted.equals("AbstractMethodError") || predicted.equals("InstantiationError"))
        skip("found, only the call fails");
      else opposite.add(world + ": " + className + ": " + what + ": predicted " + predicted + ", JVM " + actual);
    } else {
      agreed.merge(predicted.equals("OK") ? "works" : "breaks", 1, Integer::sum);
      if (!predicted.equals(actual)) otherError.merge(predicted + " -> " + actual, 1, Integer::sum);
    }
  }

  static void finishClass() {
    if (type == null || type.isInterface() || Modifier.isAbstract(type.getModifiers())) return;
    Set<String> actual = new TreeSet<>();
    try {
      for (Method method : type.getMethods())
        if (Modifier.isAbstract(method.getModifiers()))
          actual.add(method.getName() + "\t"
              + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                  .toMethodDescriptorString());
    } catch (LinkageError | TypeNotPresentException e) {
      skip("getMethods cannot load a class");
      return;
    }
    if (actual.equals(predictedAbstract)) {
      agreed.merge("abstract methods of a class", 1, Integer::sum);
    } else {
      opposite.add(world + ": " + className + ": abstract methods: predicted " + predictedAbstract
          + ", JVM " + actual);
    }
  }

  static void startClass(String[] line) {
    className = line[1];
    type = null;
    lookup = null;
    predictedAbstract = new TreeSet<>();
    String actual = "OK";
    try {
      type = named(className);
      lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    } catch (ReflectiveOperationException | LinkageError e) {
      actual = errorOf(e);
    }
    compare("loading", line[2], actual);
    if (type != null) link(line[3], new TreeSet<>(List.of(line[4].split(","))));
  }

  static boolean allLoad(Set<String> internalNames) {
    try {
      for (String name : internalNames)
        if (!name.isEmpty()) named(name);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  static void link(String predicted, Set<String> constructorTypes) {
    String actual = "OK";
    try {
      type.getDeclaredConstructors();
    } catch (TypeNotPresentException | LinkageError e) {
      actual = errorOf(e);
      if (predicted.equals("OK") && !allLoad(constructorTypes)) {
        skip("linking: a class of a constructor's descriptor cannot be loaded");
        return;
      }
    }
    compare("linking", predicted, actual);
  }

  static URL[] urls(String jars) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String jar : jars.split(":")) urls.add(Path.of(jar).toUri().toURL());
    return urls.toArray(new URL[0]);
  }

  static void startWorld(String[] line) throws IOException {
    world = line[1];
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    if (line[2].equals("one_loader")) {
      loader = new URLClassLoader(urls(line[4] + ":" + line[3]), platform);
    } else {
      loader = new URLClassLoader(urls(line[4]), new URLClassLoader(urls(line[3]), platform));
    }
  }

  static void readUnlinkable(Path file) throws IOException {
    String label = "";
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        String[] line = text.split("\t", -1);
        if (line[0].equals("W")) label = line[1];
        if (line[0].equals("C") && !line[3].equals("OK")) unlinkable.add(label + " " + line[1]);
      }
    }
  }

  public static void main(String[] arguments) throws IOException {
    readUnlinkable(Path.of(arguments[0]));
    try (BufferedReader reader = Files.newBufferedReader(Path.of(arguments[0]))) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        String[] line = text.split("\t", -1);
        switch (line[0]) {
          case "W":
            finishClass();
            type = null;
            startWorld(line);
            break;
          case "C":
            finishClass();
            startClass(line);
            break;
          case "R": reference(line); break;
          case "A": predictedAbstract.add(line[1] + "\t" + line[2]); break;
          default: throw new IOException("unknown line: " + text);
        }
      }
    }
    finishClass();
    System.out.println("agreed: " + agreed);
    System.out.println("both break, with another error: " + otherError);
    System.out.println("untestable: " + untestable);
    System.out.println("opposite: " + opposite.size());
    opposite.stream().limit(100).forEach(System.out::println);
    if (!opposite.isEmpty()) System.exit(1);
  }
}
