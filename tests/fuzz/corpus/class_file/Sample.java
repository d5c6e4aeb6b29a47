import java.util.function.Supplier;

public sealed class Sample implements Runnable permits Sample.Inner {
  static final long BIG = 1L << 40;
  record Pair(String name, double value) {}

  static final class Inner extends Sample {}

  interface Shape {
    default int sides() { return 0; }
  }

  public void run() {
    Supplier<String> text = () -> "a" + BIG + this;
    try {
      switch (text.get()) {
        case "x": System.out.println(1); break;
        case "y": System.out.println(new int[2][3].length); break;
        default: throw new IllegalStateException();
      }
    } catch (IllegalStateException | NullPointerException e) {
      switch (text.hashCode()) {
        case 1: case 2: case 3: run(); break;
        case 100000: ((Runnable) this).run();
      }
    } finally {
      System.out.println(new Pair("p", 2.5));
    }
  }
}
