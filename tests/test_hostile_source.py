"""What a hostile source cannot do: lead out of its root, run without end, or unfold without measure."""
from __future__ import annotations

import gzip
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from sources import FILES, LISTED, plant, reasons, refusal, write_tar, write_zip

from flowcheck.analyzer import archive as archives
from flowcheck.analyzer import folder as folders
from flowcheck.analyzer.layout import LARGEST_FILE, MOST_NOTES
from flowcheck.analyzer.source import open_source

OUTSIDE = ("../../sglang/evil.py", "/sglang/evil.py", "sglang/../../evil.py", "C:/sglang/evil.py", "sglang\\..\\evil.py")


class TestHostileFolders:
    def test_links_end_at_the_root(self, here: Path) -> None:
        plant(here / "x")
        (here / "secret.py").write_text("password")
        (here / "secrets").mkdir()
        (here / "secrets/a.py").write_text("password")
        (here / "x/sglang/leak.py").symlink_to(here / "secret.py")
        (here / "x/sglang/leaks").symlink_to(here / "secrets")
        tree = open_source("x")
        assert tree.files == LISTED
        assert tree.notes == tuple(f"x/sglang/{name}: a link that leaves the source is not followed" for name in ("leak.py", "leaks"))

    def test_a_package_that_is_a_link_out_of_the_folder(self, here: Path) -> None:
        plant(here / "real")
        (here / "x").mkdir()
        (here / "x/sglang").symlink_to(here / "real/sglang")
        assert "no package sglang in it" in refusal("x")
        assert open_source("x/sglang").files == LISTED, "a link that the user names is followed"

    def test_cycles_of_links_end(self, here: Path) -> None:
        plant(here)
        (here / "sglang/srt/again").symlink_to("..")
        (here / "sglang/self").symlink_to("self")
        (here / "sglang/up").symlink_to(here)
        tree = open_source(".")
        assert tree.files == LISTED
        assert any("sglang/srt/again" in note for note in tree.notes)

    def test_links_inside_are_followed_once(self, here: Path) -> None:
        plant(here)
        plant(here, {"shared/deep/a.py": ""})
        (here / "sglang/deep").symlink_to("../shared/deep")
        (here / "sglang/utils.py").symlink_to("srt/utils.py")
        assert open_source(".").files == tuple(sorted((*LISTED, "sglang/deep/a.py", "sglang/utils.py")))

    def test_what_is_no_file_or_too_large(self, here: Path) -> None:
        plant(here)
        os.mkfifo(here / "sglang/pipe.py")
        with open(here / "sglang/huge.py", "wb") as stream:
            stream.truncate(LARGEST_FILE + 1)
        (here / "sglang/folder.py").mkdir()
        (here / "sglang/two\nlines\x1b[31m.py").write_text("")
        tree = open_source(".")
        assert tree.files == LISTED
        assert reasons(tree) == ["larger than 16 MiB", "not a regular file", "its name has characters that cannot be printed"]
        assert all(note.isprintable() for note in tree.notes)

    def test_notes_have_an_end(self, here: Path) -> None:
        plant(here)
        for number in range(MOST_NOTES + 7):
            (here / f"sglang/l{number}.py").symlink_to("/nowhere.py")
        notes = open_source(".").notes
        assert len(notes) == MOST_NOTES + 1
        assert notes[-1] == "and 7 more places like these"

    def test_a_tree_without_end_is_refused(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        plant(here)
        monkeypatch.setattr(folders, "MOST_ENTRIES", 3)
        assert "more than 3 files" in refusal(".")


class TestHostileArchives:
    @pytest.mark.parametrize("name", OUTSIDE)
    def test_entries_that_lead_out(self, here: Path, name: str) -> None:
        for path in (write_zip(here / "s.zip", {**FILES, name: "evil"}), write_tar(here / "s.tar", "w", {**FILES, name: "evil"})):
            tree = open_source(str(path))
            assert tree.files == LISTED
            assert reasons(tree) == ["an entry that leads out of the archive"]

    @pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
    def test_links_in_a_tar(self, here: Path, kind: bytes) -> None:
        path = write_tar(here / "s.tar", "w")
        with tarfile.open(path, "a") as archive:
            link = tarfile.TarInfo("sglang/link.py")
            link.type, link.linkname = kind, "/etc/passwd"
            archive.addfile(link)
        tree = open_source(str(path))
        assert tree.files == LISTED
        assert tree.notes == ("s.tar/sglang/link.py: a link in an archive is not followed",)

    def test_links_in_a_zip(self, here: Path) -> None:
        path = write_zip(here / "s.zip")
        with zipfile.ZipFile(path, "a") as archive:
            link = zipfile.ZipInfo("sglang/link.py")
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "/etc/passwd")
        tree = open_source(str(path))
        assert tree.files == LISTED
        assert tree.notes == ("s.zip/sglang/link.py: a link in an archive is not followed",)

    def test_devices_and_pipes_in_a_tar(self, here: Path) -> None:
        path = write_tar(here / "s.tar", "w")
        with tarfile.open(path, "a") as archive:
            for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
                entry = tarfile.TarInfo("sglang/odd.py")
                entry.type = kind
                archive.addfile(entry)
        assert open_source(str(path)).files == LISTED

    def test_a_file_too_large_is_left_out(self, here: Path) -> None:
        noise = os.urandom(1 << 20) * 17
        files: dict[str, str | bytes] = {**FILES, "sglang/huge.py": noise}
        for path in (write_zip(here / "s.zip", files), write_tar(here / "s.tar", "w", files)):
            tree = open_source(str(path))
            assert tree.files == LISTED
            assert reasons(tree) == ["larger than 16 MiB"]

    def test_bombs(self, here: Path) -> None:
        zeros = b"0" * (12 << 20)
        assert "unfolds" in refusal(write_zip(here / "s.zip", {**FILES, "sglang/bomb.py": zeros}))
        for kind in ("gz", "bz2", "xz"):
            assert "unfolds" in refusal(write_tar(here / f"s.tar.{kind}", f"w:{kind}", {"data.bin": zeros, **FILES}))

    def test_a_bomb_that_is_no_tar(self, here: Path) -> None:
        (here / "s.tar.gz").write_bytes(gzip.compress(b"\0" * (64 << 20)))
        refusal("s.tar.gz")

    def test_a_stream_without_end(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "LARGEST_STREAM", 1 << 20)
        assert "unfolds to more than" in refusal(write_tar(here / "s.tar", "w", {"weights.bin": os.urandom(2 << 20), **FILES}))

    def test_too_many_entries_and_too_much_text(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = write_zip(here / "s.zip")
        with monkeypatch.context() as patch:
            patch.setattr(archives, "LARGEST_TEXT", 8)
            assert "larger than" in refusal(path)
        monkeypatch.setattr(archives, "MOST_ENTRIES", 2)
        assert "more than 2 entries" in refusal(path)

    def test_overlapping_entries(self, here: Path) -> None:
        path = here / "s.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("sglang/a.py", "a" * 4000)
            archive.writestr("sglang/b.py", "b")
            second = archive.getinfo("sglang/b.py")
            first = archive.getinfo("sglang/a.py")
            second.header_offset, second.file_size, second.compress_size, second.CRC = first.header_offset, 4000, 4000, first.CRC
        assert "overlap" in refusal(path)

    def test_an_encrypted_entry_is_noted(self, here: Path) -> None:
        path = write_zip(here / "s.zip")
        data = bytearray(path.read_bytes())
        at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
        data[at + 8] |= 1
        path.write_bytes(data)
        tree = open_source(str(path))
        tree.grep((b"set_eagle3",))
        assert len(tree.notes) == 1
