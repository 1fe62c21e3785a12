"""Where a source may lie, and what is read of it."""
from __future__ import annotations

import json
import os
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sources import FILES, LISTED, plant, refusal, write_tar, write_zip

from flowcheck.analyzer.source import SourceTree, open_source


class TestFolders:
    @pytest.mark.parametrize("argument", ["x", "x/", "x/sglang", "x/sglang/srt", "x/sglang/srt/models", "./x/../x/sglang"])
    def test_above_at_and_below_the_package(self, here: Path, argument: str) -> None:
        plant(here / "x")
        tree = open_source(argument)
        assert (tree.root, tree.package, tree.version, tree.files, tree.notes) == ("x", "sglang", "1.2.3", LISTED, ())
        assert tree.printed("sglang/srt/utils.py") == "x/sglang/srt/utils.py"

    @pytest.mark.parametrize("argument", ["sglang", "sglang/python", "sglang/python/sglang/srt", "."])
    def test_a_checkout_that_is_called_like_the_package(self, here: Path, argument: str) -> None:
        plant(here, below="sglang/python")
        (here / "sglang/pyproject.toml").write_text("[project]\n")
        tree = open_source(argument)
        assert (tree.root, tree.files) == ("sglang/python", LISTED)

    def test_a_folder_of_a_checkout_beside_the_package_is_not_in_it(self, here: Path) -> None:
        plant(here, below="sglang/python")
        plant(here, {"sglang/docs/conf.py": "", "sglang/pyproject.toml": ""})
        assert "no package sglang in it" in refusal("sglang/docs")

    @pytest.mark.parametrize("argument", [".", "sglang", "sglang/srt", "sglang/srt/models"])
    def test_a_namespace_package_has_no_init(self, here: Path, argument: str) -> None:
        plant(here, {"sglang/srt/models/tulip.py": ""})
        assert open_source(argument).files == ("sglang/srt/models/tulip.py",)

    def test_another_package(self, here: Path) -> None:
        plant(here, {"src/trainer/__init__.py": "__version__ = '9'\n", "src/trainer/fit.py": ""})
        tree = open_source(".", "trainer")
        assert (tree.root, tree.version, tree.files) == ("src", "9", ("trainer/__init__.py", "trainer/fit.py"))

    def test_hidden_and_compiled_folders_are_no_source(self, here: Path) -> None:
        plant(here)
        plant(here, {"sglang/.venv/lib/a.py": "", "sglang/__pycache__/b.py": "", "sglang/.hidden/c.py": ""})
        assert open_source(".").files == LISTED

    def test_printed_paths_follow_the_working_directory(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        plant(here / "x")
        monkeypatch.chdir(here / "x/sglang/srt")
        assert open_source(".").printed("sglang/srt/models/tulip.py") == "models/tulip.py"
        assert open_source("..").printed("sglang/version.py") == "../version.py"
        monkeypatch.chdir(plant(here / "elsewhere"))
        assert open_source("../x").printed("sglang/version.py") == "../x/sglang/version.py"
        absolute = str(here / "x")
        assert open_source(absolute).printed("sglang/version.py") == f"{absolute}/sglang/version.py"
        assert open_source(str(here / "elsewhere")).printed("sglang/version.py") == "sglang/version.py"


class TestReading:
    def test_grep_and_read(self, here: Path) -> None:
        tree = open_source(str(plant(here)))
        assert tree.grep((b"set_eagle3", b"no such word")) == ("sglang/srt/models/tulip.py",)
        assert tree.grep(()) == ()
        assert tree.read("sglang/version.py") == b'__version__ = "1.2.3"\n'
        assert "sglang/version.py" in tree
        assert "sglang/none.py" not in tree

    def test_what_was_found_stays_as_it_was(self, here: Path) -> None:
        tree = open_source(str(plant(here)))
        (hit,) = tree.grep((b"set_eagle3",))
        (here / hit).write_text("changed")
        assert b"set_eagle3" in tree.read(hit)

    @pytest.mark.parametrize("path", ["sglang/none.py", "../outside.py", "/etc/passwd", "sglang/srt/kernels.cpp"])
    def test_only_listed_files_are_read(self, here: Path, path: str) -> None:
        (here / "outside.py").write_text("")
        with pytest.raises(OSError, match=r"no .* in"):
            open_source(str(plant(here / "x"))).read(path)

    def test_a_file_that_cannot_be_read_is_noted_once(self, here: Path) -> None:
        tree = open_source(str(plant(here)))
        (here / "sglang/srt/utils.py").unlink()
        assert tree.grep((b"set_eagle3",)) == tree.grep((b"set_eagle3",)) == ("sglang/srt/models/tulip.py",)
        assert [note.split(":")[0] for note in tree.notes] == ["sglang/srt/utils.py"]


class TestVersions:
    @pytest.mark.parametrize(
        ("files", "version"),
        [
            ({}, None),
            ({"sglang/_version.py": "__version__ = version = '0.5.9'\n"}, "0.5.9"),
            ({"sglang/version.py": "try:\n    from ._v import __version__\nexcept ImportError:\n    __version__ = '0.0.0'\n"}, None),
            ({"sglang/version.py": "__version__ = open('x').read()\n"}, None),
            ({"sglang/version.py": "__version__ = '1; evil'\n"}, None),
            ({"sglang/version.py": "def broken(:\n", "sglang-2.dist-info/METADATA": "Name: sglang\nVersion: 2\n\nVersion: 3\n"}, "2"),
            ({"sglang.egg-info/PKG-INFO": "Name: SGLang\nVersion: 4.0\n"}, "4.0"),
            ({"PKG-INFO": "Name: another\nVersion: 4.0\n"}, None),
            ({"pyproject.toml": "[project]\nname = 'sglang'\nversion = '5.1'\n"}, "5.1"),
            ({"pyproject.toml": "[project\n"}, None),
        ],
    )
    def test_from_code_then_from_metadata(self, here: Path, files: dict[str, str], version: str | None) -> None:
        plant(here, {"sglang/a.py": "", **files})
        assert open_source(".").version == version
        assert open_source(str(write_zip(here / "x.zip", {"sglang/a.py": "", **files}, "sglang-main/"))).version == version


class TestArchives:
    @pytest.mark.parametrize("below", ["", "sglang-1.2.3/", "sglang-1.2.3/python/", "./sglang-1.2.3/src/"])
    @pytest.mark.parametrize("name", ["s.whl", "s.zip", "s.tar", "s.tar.gz", "s.tgz", "s.tar.bz2", "s.tar.xz"])
    def test_every_kind(self, here: Path, name: str, below: str) -> None:
        path = here / "sub" / name
        path.parent.mkdir()
        kind = name.rsplit(".", 1)[1].replace("tgz", "gz")
        write_zip(path, below=below) if kind in ("whl", "zip") else write_tar(path, "w" if kind == "tar" else f"w:{kind}", below=below)
        tree = open_source(f"sub/{name}")
        inner = below.removeprefix("./")
        assert (tree.root, tree.version, tree.files, tree.notes) == (f"sub/{name}/{inner}".rstrip("/"), "1.2.3", LISTED, ())
        assert tree.printed("sglang/version.py") == f"sub/{name}/{inner}sglang/version.py"
        assert tree.grep((b"set_eagle3",)) == ("sglang/srt/models/tulip.py",)
        assert tree.read("sglang/version.py") == b'__version__ = "1.2.3"\n'
        assert sorted(path.name for path in here.rglob("*") if path.is_file()) == [name]

    def test_a_checkout_that_is_called_like_the_package(self, here: Path) -> None:
        path = write_zip(here / "s.zip", {**FILES, "../sglang/setup.py": ""}, "sglang/python/")
        assert open_source(str(path)).files == LISTED

    def test_a_damaged_entry_is_noted_and_the_rest_is_read(self, here: Path) -> None:
        path = here / "s.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in FILES.items():
                archive.writestr(name, text)
        path.write_bytes(path.read_bytes().replace(b"nothing of interest", b"NOTHING of interest"))
        tree = open_source(str(path))
        assert tree.grep((b"set_eagle3",)) == ("sglang/srt/models/tulip.py",)
        assert len(tree.notes) == 1
        assert tree.notes[0].startswith("s.zip/sglang/srt/utils.py: ")


def make_empty(folder: Path) -> str:
    (folder / "empty").mkdir()
    return "empty"


def make_stranger(folder: Path) -> str:
    plant(folder / "stranger", {"other/a.py": ""})
    return "stranger"


def make_without_python(folder: Path) -> str:
    plant(folder / "docs", {"sglang/readme.md": ""})
    return "docs"


def make_text(folder: Path) -> str:
    (folder / "notes.txt").write_text("hello")
    return "notes.txt"


def make_broken_zip(folder: Path) -> str:
    path = write_zip(folder / "broken.whl")
    path.write_bytes(path.read_bytes()[:60])
    return path.name


def make_broken_tar(folder: Path) -> str:
    path = write_tar(folder / "broken.tar.gz", "w:gz")
    path.write_bytes(path.read_bytes()[:100])
    return path.name


def make_foreign_archive(folder: Path) -> str:
    return write_zip(folder / "foreign.zip", {"other/a.py": ""}).name


def make_dangling_link(folder: Path) -> str:
    (folder / "dangling").symlink_to("nowhere")
    return "dangling"


def make_pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe")
    return "pipe"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: "no/such", "no such file, folder or revision"),
        (lambda _: "no-such-package", "no such file, folder or revision"),
        (lambda _: "", "not a path"),
        (lambda _: "a\0b", "not a path"),
        (make_empty, "the folder is empty"),
        (make_stranger, "no package sglang in it"),
        (make_without_python, "no package sglang in it"),
        (make_text, "neither a folder nor an archive"),
        (make_broken_zip, "not an archive that can be read"),
        (make_broken_tar, "not an archive that can be read"),
        (make_foreign_archive, "no package sglang in this archive"),
        (make_dangling_link, "neither a folder nor an archive"),
        (make_pipe, "neither a folder nor an archive"),
    ],
)
def test_bad_input_is_one_line(here: Path, make: Callable[[Path], str], said: str) -> None:
    argument = make(here)
    message = refusal(argument)
    assert said in message
    assert argument.replace("\0", "\\x00") in message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_permissions(here: Path) -> None:
    plant(here / "x")
    (here / "x/sglang/srt/models").chmod(0)
    assert "sglang/srt/models: cannot be read" in open_source("x").notes[0]
    (here / "x").chmod(0)
    assert "cannot be read" in refusal("x")
    (here / "x").chmod(stat.S_IRWXU)
    (here / "x/sglang/srt/models").chmod(stat.S_IRWXU)


class TestInstalled:
    def site(self, folder: Path, record: str = "", **extra: str) -> Path:
        site = folder / "site"
        files = {"METADATA": "Metadata-Version: 2.1\nName: my-fork\nVersion: 7.0\n", "RECORD": record, **extra}
        plant(site, {f"my_fork-7.0.dist-info/{name}": text for name, text in files.items()})
        return site

    def opened(self, name: str, site: Path, monkeypatch: pytest.MonkeyPatch) -> SourceTree:
        monkeypatch.syspath_prepend(str(site))
        before = set(sys.modules)
        tree = open_source(name)
        assert not any(module.startswith("sglang") for module in set(sys.modules) - before)
        return tree

    def test_by_the_name_of_the_package(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        plant(here / "site", {**FILES, "sglang/__init__.py": "raise SystemExit('imported')"})
        tree = self.opened("sglang", here / "site", monkeypatch)
        assert (tree.root, tree.files) == ("site", LISTED)

    def test_by_the_name_of_a_distribution(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        site = plant(self.site(here, "sglang/__init__.py,,\nsglang/version.py,,\n"))
        assert self.opened("My_Fork", site, monkeypatch).files == LISTED

    @pytest.mark.parametrize("below", ["", "python", "src"])
    def test_an_editable_install_by_its_origin(self, here: Path, monkeypatch: pytest.MonkeyPatch, below: str) -> None:
        checkout = plant(here / "check out", below=below)
        origin = json.dumps({"url": checkout.as_uri(), "dir_info": {"editable": True}})
        site = self.site(here, "my_fork-7.0.dist-info/direct_url.json,,\n", **{"direct_url.json": origin})
        tree = self.opened("my-fork", site, monkeypatch)
        assert (tree.root, tree.files) == (f"check out/{below}".rstrip("/"), LISTED)

    def test_an_editable_install_by_its_path_file(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        checkout = plant(here / "checkout")
        site = self.site(here, "__editable__.my_fork.pth,,\n")
        (site / "__editable__.my_fork.pth").write_text(f"import os; os._exit(3)\n# a comment\n{checkout}\n")
        assert self.opened("my-fork", site, monkeypatch).files == LISTED

    @pytest.mark.parametrize("origin", ["{", "[]", '{"url": 3, "dir_info": {}}', '{"url": "https://x/y", "dir_info": {}}'])
    def test_an_odd_origin(self, here: Path, monkeypatch: pytest.MonkeyPatch, origin: str) -> None:
        monkeypatch.syspath_prepend(str(self.site(here, **{"direct_url.json": origin})))
        assert "nor an installed package" in refusal("my-fork")


@pytest.mark.release
def test_a_released_wheel(release: Callable[[str], Path]) -> None:
    tree = open_source(str(release("0.5.9")))
    assert (tree.version, tree.notes) == ("0.5.9", ())
    assert len(tree.files) == 1404
    assert "sglang/srt/models/llama.py" in tree.grep((b"set_eagle3_layers_to_capture",))
