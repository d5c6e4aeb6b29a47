# A Maven repository in ./repo: Spark 4.1.0 and 4.2.0, each of one tiny class path, and a connector
# that was compiled against 4.1.0. In 4.2.0 Plan.copy takes one parameter more.
set -eu
artifact() {  # group artifact version classes-folder dependencies
  local folder=repo/${1//.//}/$2/$3
  mkdir -p "$folder"
  python3 - "$folder/$2-$3.jar" "$4" <<'PY'
import pathlib, sys, zipfile
root = pathlib.Path(sys.argv[2])
with zipfile.ZipFile(sys.argv[1], "w") as jar:
    for file in sorted(root.rglob("*.class")):
        jar.write(file, file.relative_to(root).as_posix())
PY
  cat > "$folder/$2-$3.pom" <<POM
<project><modelVersion>4.0.0</modelVersion>
<groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version>
<dependencies>$5</dependencies></project>
POM
}
dependency() {  # group artifact version scope
  echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version><scope>$4</scope></dependency>"
}
class() {  # folder package name body
  mkdir -p "src/$1/${2//.//}"
  echo "package $2; public $4" > "src/$1/${2//.//}/$3.java"
}
compile() {  # folder class-path
  mkdir -p "out/$1"
  find "src/$1" -name '*.java' -print0 | xargs -0 javac -nowarn --release 17 -cp "$2" -d "out/$1"
}
for version in 4.1.0 4.2.0; do
  class $version org.apache.spark.sql.connector.catalog Table 'interface Table { String name(); }'
  class $version org.apache.spark.sql.connector.catalog SupportsRowLevelOperations \
    'interface SupportsRowLevelOperations extends Table {}'
done
class 4.1.0 org.apache.spark.sql Plan 'class Plan { public Plan copy(int a) { return this; } }'
class 4.2.0 org.apache.spark.sql Plan 'class Plan { public Plan copy(int a, int b) { return this; } }'
class connector com.example LakeTable \
  'class LakeTable implements org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations {
     public String name() { return new org.apache.spark.sql.Plan().copy(1).toString(); } }'
class connector com.example Main \
  'class Main { public static void main(String[] none) { System.out.println(new LakeTable().name()); } }'
for version in 4.1.0 4.2.0; do
  parent=repo/org/apache/spark/spark-parent_2.13/$version
  mkdir -p $parent
  cat > $parent/spark-parent_2.13-$version.pom <<POM
<project><modelVersion>4.0.0</modelVersion><groupId>org.apache.spark</groupId>
<artifactId>spark-parent_2.13</artifactId><version>$version</version><packaging>pom</packaging></project>
POM
  compile $version .
  for module in core sql catalyst sql-api hive; do
    folder=out/none
    mkdir -p out/none
    [ $module = sql ] && folder=out/$version
    artifact org.apache.spark spark-${module}_2.13 $version $folder ''
  done
done
compile connector out/4.1.0
artifact com.example lake-spark-4.1_2.13 1.0 out/connector \
  "$(dependency org.apache.spark spark-sql_2.13 4.1.0 provided)"
