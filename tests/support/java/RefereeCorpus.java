// The referee of the linkage corpus: builds each case of tests/linkage with javac, and asks this JVM
// what happens when the client, compiled against the old library, runs with the new one.
//
//   java RefereeCorpus.java build FOLDER_OF_CASES OUT     OUT/<case>/{old,new,client}.jar
//   java RefereeCorpus.java run FOLDER_OF_CASES OUT       builds, runs, prints the outcomes
//   java RefereeCorpus.java check FOLDER_OF_CASES OUT     the same, compared with expected.tsv
//
// `run` prints tab separated lines: case, side (old or new), probe, outcome, message. A probe is
// `main`, which calls c.Main.main(), or `load X`, which links class X without initialising it. The
// outcome is OK or the class of the LinkageError; the message is HotSpot's first line without the
// names of loaders and modules.
//
// A case is a text file: prose lines with #, `loaders: one` (all in one class loader; default is the
// library in the parent and the client in the child) or `loaders: child-first`, and sections
// `=== old/p/Lib.java`, `=== new/…`, `=== both/…`, `=== client/…`. `=== drop new/p/Gone.class`
// removes a class file after everything has been compiled.
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

public class RefereeCorpus {
  record Case(String name, String loaders, Map<String, String> sections, List<String> drops) {
    static Case read(Path file) throws IOException {
      String name = file.getFileName().toString().replaceFirst("\\.case$", "");
      String loaders = "split";
      Map<String, String> sections = new TreeMap<>();
      List<String> drops = new ArrayList<>();
      String section = null;
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("=== drop ")) {
          drops.addAll(sides(line.substring(9).trim()));
        } else if (line.startsWith("=== ")) {
          section = line.substring(4).trim();
          sections.put(section, "");
        } else if (section != null) {
          sections.merge(section, line + "\n", String::concat);
        } else if (line.startsWith("loaders: ")) {
          loaders = line.substring(9).trim();
        } else if (!line.startsWith("#") && !line.isBlank()) {
          throw new IOException(file + ": unexpected line: " + line);
        }
      }
      return new Case(name, loaders, sections, drops);
    }

    static List<String> sides(String path) {
      if (!path.startsWith("both/")) return List.of(path);
      return List.of("old/" + path.substring(5), "new/" + path.substring(5));
    }
  }

  static final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
  static StandardJavaFileManager files;

  static void compile(Case c, Path out, String side, Path classPath) throws IOException {
    Path sources = out.resolve("src-" + side), classes = out.resolve("classes-" + side);
    Files.createDirectories(classes);
    List<Path> units = new ArrayList<>();
    for (var section : c.sections.entrySet())
      for (String path : Case.sides(section.getKey()))
        if (path.startsWith(side + "/")) {
          Path unit = sources.resolve(path.substring(side.length() + 1));
          Files.createDirectories(unit.getParent());
          Files.writeString(unit, section.getValue());
          units.add(unit);
        }
    if (units.isEmpty()) return;
    StringWriter messages = new StringWriter();
    List<String> options = List.of("-d", classes.toString(), "-cp", classPath.toString(),
        "--release", "17", "-g", "-nowarn", "-proc:none", "-implicit:none");
    Iterable<? extends JavaFileObject> objects = files.getJavaFileObjectsFromPaths(units);
    if (!javac.getTask(messages, files, null, options, null, objects).call())
      throw new IOException(c.name + " (" + side + "): " + messages);
  }

  static void jar(Path classes, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(file);
        Stream<Path> walk = Files.walk(classes)) {
      for (Path path : walk.filter(Files::isRegularFile).sorted().toList()) {
        ZipEntry entry = new ZipEntry(classes.relativize(path).toString());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(Files.readAllBytes(path));
      }
    }
  }

  static void build(Case c, Path out) throws IOException {
    for (String side : List.of("old", "new")) compile(c, out, side, out);
    compile(c, out, "client", out.resolve("classes-old"));
    for (String drop : c.drops) {
      int slash = drop.indexOf('/');
      Files.delete(out.resolve("classes-" + drop.substring(0, slash)).resolve(drop.substring(slash + 1)));
    }
    for (String side : List.of("old", "new", "client"))
      jar(out.resolve("classes-" + side), out.resolve(side + ".jar"));
    Files.writeString(out.resolve("loaders"), c.loaders);
  }

  static class ChildFirst extends URLClassLoader {
    ChildFirst(URL[] urls, ClassLoader parent) {
      super(urls, parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> found = findLoadedClass(name);
        if (found != null) return found;
        try {
          return name.startsWith("java.") ? super.loadClass(name, resolve) : findClass(name);
        } catch (ClassNotFoundException e) {
          return super.loadClass(name, resolve);
        }
      }
    }
  }

  static ClassLoader loader(Case c, Path out, String side) throws IOException {
    URL library = out.resolve(side + ".jar").toUri().toURL();
    URL client = out.resolve("client.jar").toUri().toURL();
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    if (c.loaders.equals("one")) return new URLClassLoader(new URL[] {client, library}, platform);
    ClassLoader parent = new URLClassLoader(new URL[] {library}, platform);
    if (c.loaders.equals("child-first")) return new ChildFirst(new URL[] {client}, parent);
    return new URLClassLoader(new URL[] {client}, parent);
  }

  static String outcome(Throwable thrown) {
    while (thrown instanceof InvocationTargetException || thrown instanceof ExceptionInInitializerError
        || thrown instanceof BootstrapMethodError) {
      if (thrown.getCause() == null) break;
      thrown = thrown.getCause();
    }
    String message = String.valueOf(thrown.getMessage()).lines().findFirst().orElse("");
    // HotSpot's texts name loaders and modules, whose names differ from run to run.
    message = message.replaceAll(" ?\\([^()]*(unnamed module|loader)[^()]*\\)", "")
        .replaceAll("unnamed module of loader java\\.net\\.URLClassLoader @[0-9a-f]+", "unnamed module")
        .replaceAll("@[0-9a-f]{4,}", "@").replaceAll("[$][$]Lambda[^ ]*", "(lambda)")
        .replaceAll("at index [0-9]+", "at index N").replace('\t', ' ').trim();
    return thrown.getClass().getName().replaceFirst("^java\\.lang\\.", "") + "\t" + message;
  }

  static String probe(Case c, Path out, String side, String probe) throws IOException {
    try {
      ClassLoader loader = loader(c, out, side);
      if (probe.equals("main")) {
        Class.forName("c.Main", true, loader).getMethod("main").invoke(null);
      } else {
        // Asking for the constructors links the class, and does not initialise it.
        Class.forName(probe.substring(5), false, loader).getDeclaredConstructors();
      }
      return "OK\t";
    } catch (ReflectiveOperationException | LinkageError e) {
      if (e instanceof ClassNotFoundException && !probe.equals("main"))
        return "NoClassDefFoundError\t" + e.getMessage().replace('.', '/');
      return outcome(e);
    }
  }

  static void run(Case c, Path out, PrintStream to) throws IOException {
    Path classes = out.resolve("classes-client");
    List<String> probes = new ArrayList<>(List.of("main"));
    try (Stream<Path> walk = Files.walk(classes)) {
      for (Path path : walk.filter(Files::isRegularFile).sorted().toList())
        probes.add("load " + classes.relativize(path).toString().replace('/', '.').replaceFirst("\\.class$", ""));
    }
    for (String side : List.of("old", "new"))
      for (String probe : probes)
        to.println(c.name + "\t" + side + "\t" + probe + "\t" + probe(c, out, side, probe));
  }

  // The outcomes that differ from the stored ones. The texts of messages are compared only when the
  // stored ones are of this JVM's version. Where two default methods conflict JVMs differ: an
  // AbstractMethodError is an IncompatibleClassChangeError.
  static List<String> differences(String actual, List<String> expected) {
    String version = "HotSpot " + Runtime.version().feature() + " ";
    boolean same = expected.get(0).contains(version);
    List<String> wrong = new ArrayList<>();
    List<String> lines = actual.lines().toList();
    for (int i = 1; i < Math.max(lines.size(), expected.size()); i++) {
      String left = i < expected.size() ? expected.get(i) : "";
      String right = i < lines.size() ? lines.get(i) : "";
      String[] a = left.split("\t", 5), b = right.split("\t", 5);
      boolean equal = left.equals(right);
      if (!equal && !same && a.length == 5 && b.length == 5 && a[0].equals(b[0])) {
        boolean conflict = a[0].startsWith("defaults-conflict") && a[3].equals("AbstractMethodError")
            && b[3].equals("IncompatibleClassChangeError");
        equal = a[1].equals(b[1]) && a[2].equals(b[2]) && (a[3].equals(b[3]) || conflict);
      }
      if (!equal) wrong.add("stored: " + left + "\nnow:    " + right);
    }
    return wrong;
  }

  public static void main(String[] arguments) throws IOException {
    if (javac == null) {
      System.err.println("this Java has no compiler: a JDK is needed");
      System.exit(77);
    }
    boolean runs = !arguments[0].equals("build");
    Path out = Path.of(arguments[2]).toAbsolutePath();
    files = javac.getStandardFileManager(null, null, null);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrintStream to = arguments[0].equals("check") ? new PrintStream(text) : System.out;
    if (runs) {
      to.println("# What HotSpot " + Runtime.version().feature() + " did with each case of this folder; "
          + "made by tests/linkage/update_expected.sh.");
      to.println("# case\tside\tprobe\toutcome\tmessage");
    }
    List<Path> cases;
    try (Stream<Path> list = Files.list(Path.of(arguments[1]))) {
      cases = list.filter(p -> p.toString().endsWith(".case")).sorted().collect(Collectors.toList());
    }
    for (Path file : cases) {
      Case c = Case.read(file);
      Path folder = out.resolve(c.name);
      build(c, folder);
      if (runs) run(c, folder, to);
    }
    if (!arguments[0].equals("check")) return;
    to.flush();
    List<String> wrong =
        differences(text.toString(), Files.readAllLines(Path.of(arguments[1]).resolve("expected.tsv")));
    wrong.forEach(System.out::println);
    System.out.println(cases.size() + " cases, " + wrong.size() + " differences");
    if (!wrong.isEmpty()) System.exit(1);
  }
}
