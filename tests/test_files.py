"""Files appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sottovoce import _files
from sottovoce._files import create_whole, sync_directory, unfinished, whole_file, write_whole

INTERRUPTIONS = [OSError("the disk is full"), KeyboardInterrupt()]


def held(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, hidden ones too, and what it holds."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def _usual_umask() -> object:
    """What files allow does not depend on who runs the tests."""
    before = os.umask(0o022)
    yield
    os.umask(before)


class TestWholeFile:
    def test_the_old_file_stays_until_the_new_one_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "tally"
        path.write_bytes(b"old")
        with whole_file(path) as part:
            part.write_bytes(b"half of the new")
            assert path.read_bytes() == b"old"
            part.write_bytes(b"new")
        assert held(tmp_path) == {"tally": b"new"}

    @pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=lambda error: type(error).__name__)
    def test_an_interruption_leaves_what_was_there_and_nothing_else(
        self, tmp_path: Path, interruption: BaseException
    ) -> None:
        (tmp_path / "tally").write_bytes(b"old")
        for name in ("tally", "another"):
            with pytest.raises(type(interruption)), whole_file(tmp_path / name) as part:  # noqa: PT012 - after a part
                part.write_bytes(b"half of the new")
                raise interruption
        assert held(tmp_path) == {"tally": b"old"}

    def test_a_file_that_was_never_begun_is_an_error_and_leaves_the_old_one(self, tmp_path: Path) -> None:
        (tmp_path / "tally").write_bytes(b"old")
        with pytest.raises(FileNotFoundError), whole_file(tmp_path / "tally"):
            pass
        assert held(tmp_path) == {"tally": b"old"}

    def test_unfinished_files_are_hidden_beside_their_place_and_never_the_same(self, tmp_path: Path) -> None:
        path = tmp_path / "reports.parquet"
        parts = {unfinished(path) for _ in range(100)}
        assert len(parts) == 100
        for part in parts:
            part.touch()
            assert part.parent == tmp_path
        assert list(tmp_path.glob("*.parquet")) == []
        assert all(name.startswith(".") for name in held(tmp_path))


class TestWriteWhole:
    def test_a_file_is_written_and_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        for data in (b"one", b"", b"a longer one\n" * 1_000):
            write_whole(str(path), data)
            assert held(tmp_path) == {"plan.json": data}

    @pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=lambda error: type(error).__name__)
    @pytest.mark.parametrize("stage", ["fsync", "replace"])
    def test_an_interruption_at_any_stage_leaves_what_was_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, interruption: BaseException
    ) -> None:
        def interrupted(*arguments: object) -> None:
            raise interruption

        (tmp_path / "plan.json").write_bytes(b"old")
        monkeypatch.setattr(_files.os, stage, interrupted)
        with pytest.raises(type(interruption)):
            write_whole(tmp_path / "plan.json", b"new")
        assert held(tmp_path) == {"plan.json": b"old"}

    def test_the_data_is_on_the_disk_before_the_name_is_and_the_name_before_it_returns(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        steps: list[str] = []
        fsync, replace = os.fsync, os.replace

        def noted_fsync(descriptor: int) -> None:
            steps.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "data")
            fsync(descriptor)

        def noted_replace(part: Path, path: Path) -> None:
            steps.append("name")
            replace(part, path)

        monkeypatch.setattr(_files.os, "fsync", noted_fsync)
        monkeypatch.setattr(_files.os, "replace", noted_replace)
        write_whole(tmp_path / "plan.json", b"new")
        assert steps == ["data", "name", "directory"]

    def test_a_reader_sees_one_whole_file_or_another_while_many_write(self, tmp_path: Path) -> None:
        path = tmp_path / "tally"
        versions = [bytes([number]) * 20_000 for number in range(4)]
        write_whole(path, versions[0])
        done = threading.Event()
        seen: set[bytes] = set()

        def read() -> None:
            while not done.is_set():
                seen.add(path.read_bytes())

        reader = threading.Thread(target=read)
        reader.start()
        try:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda number: write_whole(path, versions[number % 4]), range(40)))
        finally:
            done.set()
            reader.join()
        assert seen
        assert seen <= set(versions)
        assert len(held(tmp_path)) == 1

    @pytest.mark.usefixtures("_usual_umask")
    def test_a_private_file_is_its_owners_alone_even_where_a_public_one_was(self, tmp_path: Path) -> None:
        path = tmp_path / "ledger"
        write_whole(path, b"public")
        assert mode(path) == 0o644
        write_whole(path, b"private", private=True)
        assert mode(path) == 0o600

    @pytest.mark.usefixtures("_usual_umask")
    def test_a_private_file_is_never_public_not_even_before_it_has_its_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        modes: list[int] = []
        fsync = os.fsync

        def noted(descriptor: int) -> None:
            modes.extend(mode(path) for path in tmp_path.iterdir())
            fsync(descriptor)

        monkeypatch.setattr(_files.os, "fsync", noted)
        write_whole(tmp_path / "ledger", b"private", private=True)
        create_whole(tmp_path / "key", b"private", private=True)
        assert set(modes) == {0o600}

    def test_a_missing_folder_is_an_error_that_names_it(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="absent"):
            write_whole(tmp_path / "absent" / "plan.json", b"new")


class TestCreateWhole:
    def test_the_first_stays_and_the_second_is_told(self, tmp_path: Path) -> None:
        assert create_whole(tmp_path / "key", b"first")
        assert not create_whole(tmp_path / "key", b"second")
        assert held(tmp_path) == {"key": b"first"}

    def test_of_many_threads_at_once_exactly_one_is_the_first(self, tmp_path: Path) -> None:
        threads = 8
        for attempt in range(10):
            path, barrier = tmp_path / f"key {attempt}", threading.Barrier(threads)

            def create(number: int, path: Path = path, barrier: threading.Barrier = barrier) -> bool:
                barrier.wait()
                return create_whole(path, bytes([number]) * 5_000)

            with ThreadPoolExecutor(threads) as pool:
                won = list(pool.map(create, range(threads)))
            assert won.count(True) == 1
            assert path.read_bytes() == bytes([won.index(True)]) * 5_000
        assert len(held(tmp_path)) == 10, "nothing is left of those that came late"

    @pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=lambda error: type(error).__name__)
    def test_an_interruption_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
    ) -> None:
        def interrupted(*arguments: object) -> None:
            raise interruption

        monkeypatch.setattr(_files.os, "link", interrupted)
        with pytest.raises(type(interruption)):
            create_whole(tmp_path / "key", b"first")
        assert held(tmp_path) == {}

    @pytest.mark.usefixtures("_usual_umask")
    def test_private_means_its_owners_alone(self, tmp_path: Path) -> None:
        create_whole(tmp_path / "open", b"public")
        create_whole(tmp_path / "key", b"private", private=True)
        assert [mode(tmp_path / name) for name in ("open", "key")] == [0o644, 0o600]


def test_syncing_a_directory_leaves_no_descriptor_open(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not list open descriptors")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        sync_directory(tmp_path)
    assert len(os.listdir("/proc/self/fd")) <= before + 5, "other threads may open a few meanwhile"
