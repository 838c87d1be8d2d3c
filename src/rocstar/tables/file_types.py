"""What a file is, by its first bytes: those that are read, and those that are only named."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import BinaryIO

from rocstar.checks import InputError

HEAD = 512
_EXPORT, _UNPACK = "export the table as CSV or Parquet", "unpack it"
_READ = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow stream"}
_NOT_READ = {
    b"SQLite format 3\x00": ("a SQLite database", _EXPORT),
    b"\x89HDF\r\n\x1a\n": ("an HDF5 file", _EXPORT),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel or Office file", "save it as .xlsx or CSV"),
    b"PARE": ("an encrypted Parquet file", "decrypt it"),
    b"ORC": ("an ORC file", _EXPORT),
    b"Obj\x01": ("an Avro file", _EXPORT),
    b"\x93NUMPY": ("a NumPy array", _EXPORT),
    b"MATLAB 5.0": ("a MATLAB file", _EXPORT),
    b"RDX": ("an R workspace", _EXPORT),
    b"$FL2": ("an SPSS file", _EXPORT),
    b"$FL3": ("an SPSS file", _EXPORT),
    b"<stata_dta>": ("a Stata file", _EXPORT),
    b"\x00" * 12 + b"\xc2\xea\x81\x60": ("a SAS file", _EXPORT),
    b"BZh": ("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ\x00": ("an xz archive", _UNPACK),
    b"\x28\xb5\x2f\xfd": ("a Zstandard archive", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNPACK),
    b"Rar!": ("a RAR archive", _UNPACK),
    b"%PDF-": ("a PDF document", _EXPORT),
    b"{\\rtf": ("an RTF document", _EXPORT),
    b"\x89PNG": ("an image", "name a table"),
    b"\xff\xd8\xff": ("an image", "name a table"),
    b"GIF8": ("an image", "name a table"),
    b"version https://git-lfs": ("a pointer of Git LFS", "fetch the file with `git lfs pull`"),
}
# Text in which the case of the letters does not matter.
_NOT_READ_TEXT = {
    b"<!doctype html": ("an HTML page", _EXPORT),
    b"<html": ("an HTML page", _EXPORT),
    b"<?xml": ("an XML file", _EXPORT),
    b"@relation": ("an ARFF file", _EXPORT),
    b"-- mysql dump": ("an SQL dump", _EXPORT),
    b"-- postgresql database dump": ("an SQL dump", _EXPORT),
    b"create table": ("an SQL dump", _EXPORT),
    b"insert into": ("an SQL dump", _EXPORT),
}
_SUFFIX = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".feather": "Arrow",
    ".arrow": "Arrow",
    ".xlsx": "Excel",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
}


def file_type(stream: BinaryIO, name: str) -> str:
    """Parquet, Arrow, Arrow stream, Excel, JSON or CSV; anything else is refused by its name."""
    head = stream.read(HEAD)
    stream.seek(0)
    kind = next((kind for magic, kind in _READ.items() if head.startswith(magic)), None)
    if kind is None and head.startswith(b"PK\x03\x04"):
        kind = _zip_type(stream, name)
    if kind is None:
        refuse_by_name(head, name)
        kind = "JSON" if text_start(head).startswith((b"{", b"[")) else "CSV"
    promised = _SUFFIX.get(Path(name).suffix.lower())
    if promised and not kind.startswith(promised):
        raise InputError(f"`{name}` is not {_article(promised)} {promised} file, despite its name.")
    if kind not in ("CSV", "JSON") and ".csv" in name.lower():
        raise InputError(f"`{name}` is {_article(kind)} {kind} file, not CSV: rename it.")
    return kind


def refuse_by_name(head: bytes, name: str, inside: str = "") -> None:
    """Refuse a file that begins like one of those that are not read."""
    text = text_start(head).lower()
    for known, start in ((_NOT_READ, head), (_NOT_READ_TEXT, text)):
        for magic, (what, advice) in known.items():
            if start.startswith(magic):
                raise InputError(f"`{name}` is {inside}{what}; {advice}.")
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise InputError(f"`{name}` is {inside}a pickle; {_EXPORT}.")
    if head[257:262] == b"ustar":
        raise InputError(f"`{name}` is {inside}a tar archive; {_UNPACK}.")


def text_start(head: bytes) -> bytes:
    """The first bytes of a text, without a mark of its encoding and without blank lines."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def _zip_type(stream: BinaryIO, name: str) -> str:
    """Excel; every other archive is refused."""
    try:
        with zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
            mime = archive.read("mimetype")[:100] if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError):
        raise InputError(f"`{name}` is not a complete zip or Excel file; copy it again.") from None
    finally:
        stream.seek(0)
    if "xl/workbook.xml" in names:
        return "Excel"
    what, advice = "a zip archive", _UNPACK
    if b"opendocument" in mime:
        what, advice = "an OpenDocument file", _EXPORT
    elif "xl/workbook.bin" in names:
        what, advice = "a binary Excel file (.xlsb)", "save it as .xlsx or CSV"
    elif "schema.json" in names:
        what, advice = "a model file, not a table", "name a table"
    elif all(member.endswith(".npy") for member in names):
        what, advice = "an archive of NumPy arrays", _EXPORT
    raise InputError(f"`{name}` is {what}; {advice}.")


def _article(word: str) -> str:
    return "an" if word[0] in "AE" else "a"
