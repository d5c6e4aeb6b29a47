"""Three damaged jars, made from one class file: the smallest that JVMS 4 allows."""
import struct
import zipfile


def utf8(text):
    return b"\1" + struct.pack(">H", len(text)) + text.encode()


CLASS = (struct.pack(">IHHH", 0xCAFEBABE, 0, 52, 5) + utf8("p/C") + b"\7\0\1" +
         utf8("java/lang/Object") + b"\7\0\3" + struct.pack(">HHHHHHH", 0x21, 2, 4, 0, 0, 0, 0))


def jar(name, classes):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for path, contents in classes.items():
            zip_file.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), contents)


jar("whole.jar", {"p/C.class": CLASS})
data = open("whole.jar", "rb").read()
open("truncated.jar", "wb").write(data[:len(data) // 2])

# The name "p/C" says that it has 4,000 bytes.
jar("bad-class.jar", {"p/C.class": CLASS.replace(b"\1\0\3p/C", b"\1\x0f\xa0p/C"), "q/D.class": CLASS.replace(b"p/C", b"q/D")})

# Bit 0 of the general purpose flags, in the local header (offset 6) and in the directory (offset 8).
data = bytearray(data)
data[6] |= 1
data[data.index(b"PK\1\2") + 8] |= 1
open("encrypted.jar", "wb").write(data)
