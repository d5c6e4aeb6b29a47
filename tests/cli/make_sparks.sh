# make_sparks.sh CONNECTOR…: two tiny Sparks and connectors for cases of `rowgate link`, built by javac.
#
#   spark-4.1.0/jars/spark-core_2.13-4.1.0.jar, spark-4.2.0/… the same with four things changed
#   lake.jar     compiled against 4.1.0: uses all that changed; one use is behind a catch
#   plain.jar    uses only what did not change
#   reader.jar   has a class LakeUtil as lake.jar does, whose method takes another type
set -eu
class() {  # class FOLDER NAME TEXT: writes a source file
  mkdir -p "src/$1/$(dirname "$2")"
  printf '%s\n' "$3" >"src/$1/$2.java"
}
build() {  # build FOLDER CLASSPATH JAR
  mkdir -p "out/$1" "$(dirname "$3")"
  javac -nowarn --release 17 -g -cp "$2" -d "out/$1" $(find "src/$1" -name '*.java')
  (cd "out/$1" && python3 -m zipfile -c "$OLDPWD/$3" *)
}
for version in 4.1.0 4.2.0; do
  new=$([ $version = 4.2.0 ] && echo yes || echo no)
  class $version org/apache/spark/sql/Plan "package org.apache.spark.sql;
public class Plan {
  public Plan copy(int a$([ $new = yes ] && echo ', int b')) { return this; }
  public String name() { return \"plan\"; }
}"
  class $version org/apache/spark/sql/Catalog "package org.apache.spark.sql;
public $([ $new = yes ] && echo interface || echo class) Catalog {
  $([ $new = yes ] && echo default) public String current() { return \"main\"; }
}"
  class $version org/apache/spark/sql/Table "package org.apache.spark.sql;
public interface Table { String name(); $([ $new = yes ] && echo 'String id();') }"
  [ $new = yes ] || class $version org/apache/spark/sql/Gone "package org.apache.spark.sql;
public class Gone { public static void ask() { } }"
  build $version . spark-$version/jars/spark-core_2.13-$version.jar
done
old=spark-4.1.0/jars/spark-core_2.13-4.1.0.jar
for name in "$@"; do
  case $name in
    lake)
      class lake com/example/LakeTable "package com.example;
import org.apache.spark.sql.*;
public class LakeTable implements Table {
  public String name() { return new Plan().copy(1).name(); }
  public String where(Catalog catalog) { return catalog.current(); }
  public void optional() { try { Gone.ask(); } catch (NoClassDefFoundError e) { } }
}"
      class lake com/example/LakeUtil "package com.example;
public class LakeUtil { public static String path(String file) { return file; } }" ;;
    plain)
      class plain com/example/Plain "package com.example;
public class Plain { public String name(org.apache.spark.sql.Plan plan) { return plan.name(); } }" ;;
    reader)
      class reader com/example/Reader "package com.example;
public class Reader { public String read(Object file) { return LakeUtil.path(file); } }"
      class reader com/example/LakeUtil "package com.example;
public class LakeUtil { public static String path(Object file) { return file.toString(); } }" ;;
  esac
  build $name $old $name.jar
done
