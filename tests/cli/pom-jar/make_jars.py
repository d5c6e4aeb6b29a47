"""Jars that say by different means what they are: names, manifest, shim folders, pom.properties."""
import zipfile


def jar(name, entries):
    with zipfile.ZipFile(name, "w") as out:
        for path, text in entries.items():
            out.writestr(path, text)


# A class file of Java 17 as far as its header goes.
CLASS = b"\xca\xfe\xba\xbe\x00\x00\x00\x3d"
jar("delta-spark_2.13-4.3.1.jar", {"io/delta/A.class": CLASS})
jar("shims.jar", {"spark356/a/A.class": CLASS, "spark411/a/A.class": CLASS})
jar("renamed.jar", {"META-INF/maven/own/conn/pom.properties":
                    "groupId=own\nartifactId=conn\nversion=1\n"})
open("damaged.jar", "wb").write(b"PK\x03\x04")
