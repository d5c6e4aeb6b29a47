#!/usr/bin/env python3
"""Makes a Maven repository from lines of a file:

  g:a:v [packaging] [: dependency…]      a POM; a dependency is g:a:v, g:a:v@scope or g:a:v!g:a
                                         (the last excludes)
  g:a:v … +jar                           with a jar beside it that holds one text entry
  metadata g:a v v…                      maven-metadata.xml

usage: make_repository.py LINES FOLDER
"""
import hashlib
import io
import pathlib
import sys
import zipfile


def dependency(text):
    text, _, excluded = text.partition("!")
    gav, _, scope = text.partition("@")
    group, artifact, version = gav.split(":")
    xml = (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
           f"<version>{version}</version>")
    if scope:
        xml += f"<scope>{scope}</scope>"
    if excluded:
        group, artifact = excluded.split(":")
        xml += (f"<exclusions><exclusion><groupId>{group}</groupId>"
                f"<artifactId>{artifact}</artifactId></exclusion></exclusions>")
    return xml + "</dependency>"


def write(path, contents):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    path.with_name(path.name + ".sha1").write_text(hashlib.sha1(contents).hexdigest())


def jar_of(text):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as jar:
        jar.writestr(zipfile.ZipInfo("name.txt"), text)
    return buffer.getvalue()


def main():
    folder = pathlib.Path(sys.argv[2])
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "metadata":
            group, artifact = words[1].split(":")
            versions = "".join(f"<version>{v}</version>" for v in words[2:])
            write(folder / group.replace(".", "/") / artifact / "maven-metadata.xml",
                  f"<metadata><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
                  f"<versioning><versions>{versions}</versions></versioning></metadata>".encode())
            continue
        group, artifact, version = words[0].split(":")
        has_jar = "+jar" in words
        words = [word for word in words[1:] if word != "+jar"]
        packaging = words.pop(0) if words and words[0] != ":" else "jar"
        dependencies = "".join(dependency(word) for word in words[1:])
        base = folder / group.replace(".", "/") / artifact / version / f"{artifact}-{version}"
        write(base.with_name(base.name + ".pom"),
              f"<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId>"
              f"<artifactId>{artifact}</artifactId><version>{version}</version>"
              f"<packaging>{packaging}</packaging>\n"
              f"<dependencies>{dependencies}</dependencies></project>".encode())
        if has_jar:
            write(base.with_name(base.name + ".jar"), jar_of(f"{group}:{artifact}:{version}"))


if __name__ == "__main__":
    main()
