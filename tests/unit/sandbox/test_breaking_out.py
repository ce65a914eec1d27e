"""Real attempts to get out: to files, the network, other processes, the kernel."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from sanbo.kernel.problems import Code, Problem
from sanbo.sandbox.client import Sandbox
from sanbo.sandbox.limits import Limits
from sanbo.sandbox.memory import Memory
from tests.unit.sandbox.conftest import JOBS, ROOT, SHORT, a_sandbox, do, failure


def is_forbidden(problem: Problem) -> bool:
    return (problem.text_id, problem.code) == ("sandbox_forbidden", Code.PERMISSION_DENIED)


@pytest.fixture
def bystander() -> Generator[subprocess.Popen[bytes]]:
    """Another process of the same user."""
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(command) as process:
        yield process
        process.kill()


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "給与.csv"
    path.write_text("秘密")
    return path


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/proc/self/environ", "/proc/self/mem", "/dev/shm"]
)
def test_files_of_the_system_are_not_read(guarded: Sandbox, path: str) -> None:
    assert is_forbidden(failure(guarded, "read", path=path))


def test_files_of_a_person_are_not_read(guarded: Sandbox, own_file: Path) -> None:
    assert is_forbidden(failure(guarded, "read", path=str(own_file)))
    assert is_forbidden(failure(guarded, "list", path=str(own_file.parent)))
    assert is_forbidden(failure(guarded, "list", path=str(Path.home())))
    assert is_forbidden(failure(guarded, "list", path="/"))


def test_the_environment_of_the_parent_is_not_read(
    guarded: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_forbidden(failure(guarded, "read", path=f"/proc/{os.getpid()}/environ"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("SOMETHING", "secret")
    with a_sandbox() as other:
        environment = json.loads(do(other, "environment").report)
    assert "secret" not in json.dumps(environment)
    assert "HOME" not in environment


def test_no_file_is_made_changed_or_deleted(guarded: Sandbox, own_file: Path) -> None:
    before = own_file.stat()
    assert is_forbidden(failure(guarded, "write", path=str(own_file)))
    assert is_forbidden(failure(guarded, "write", path=str(own_file.parent / "new")))
    assert is_forbidden(failure(guarded, "write", path="/tmp/sanbo-out"))
    assert is_forbidden(failure(guarded, "write", path="sanbo-out"))
    assert is_forbidden(failure(guarded, "make_folder", path=str(own_file.parent / "folder")))
    assert is_forbidden(failure(guarded, "delete", path=str(own_file)))
    assert is_forbidden(failure(guarded, "change_rights", path=str(own_file)))
    assert is_forbidden(failure(guarded, "change_time", path=str(own_file)))
    assert is_forbidden(failure(guarded, "shared_memory"))
    assert is_forbidden(failure(guarded, "anonymous_file"))
    assert os.listdir(own_file.parent) == [own_file.name]
    assert own_file.read_text() == "秘密"
    after = own_file.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_libraries_can_be_imported_late_but_not_be_changed(guarded: Sandbox) -> None:
    assert b"wave" in do(guarded, "import_late").report
    assert is_forbidden(failure(guarded, "write", path=json.__file__))


def test_a_tcp_listener_hears_nothing(guarded: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        assert is_forbidden(failure(guarded, "tcp", port=listener.getsockname()[1]))
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_udp_listener_hears_nothing(guarded: Sandbox) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0.2)
        assert is_forbidden(failure(guarded, "udp", port=listener.getsockname()[1]))
        with pytest.raises(TimeoutError):
            listener.recv(10)


@pytest.mark.parametrize("is_abstract", [True, False])
def test_a_unix_socket_hears_nothing(
    guarded: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_abstract: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"\0sanbo-{os.getpid()}" if is_abstract else "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(name)
        listener.settimeout(0.2)
        path = name if is_abstract else str(tmp_path / name)
        assert is_forbidden(failure(guarded, "unix", path=path))
        with pytest.raises(TimeoutError):
            listener.recv(10)


def test_names_are_not_resolved(guarded: Sandbox) -> None:
    assert failure(guarded, "resolve").details["kind"] == "gaierror"


@pytest.mark.parametrize("name", ["fork_bomb", "execute", "start_process"])
def test_no_process_is_started(guarded: Sandbox, name: str) -> None:
    assert is_forbidden(failure(guarded, name))


def test_no_thread_is_started(guarded: Sandbox) -> None:
    assert failure(guarded, "thread_bomb").details["kind"] == "RuntimeError"


def test_other_processes_are_not_signalled(
    guarded: Sandbox, bystander: subprocess.Popen[bytes]
) -> None:
    assert is_forbidden(failure(guarded, "kill", pid=bystander.pid))
    assert is_forbidden(failure(guarded, "signal_the_zygote"))
    assert bystander.poll() is None


def test_the_bonds_are_not_taken_off(guarded: Sandbox) -> None:
    for name in ("leave_the_group", "outlive_the_zygote"):
        assert is_forbidden(failure(guarded, name))
    assert failure(guarded, "raise_limits").text_id in {"sandbox_forbidden", "sandbox_defect"}


@pytest.mark.parametrize(
    ("x86_64", "aarch64"),
    [(425, 425), (272, 97), (165, 40), (250, 219), (434, 434), (319, 279), (317, 277)],
    ids=["io_uring_setup", "unshare", "mount", "keyctl", "pidfd_open", "memfd_create", "seccomp"],
)
def test_the_kernel_is_not_asked_for_more(guarded: Sandbox, x86_64: int, aarch64: int) -> None:
    assert is_forbidden(failure(guarded, "call", x86_64=x86_64, aarch64=aarch64))


@pytest.mark.parametrize(
    ("x86_64", "aarch64"),
    [(101, 117), (310, 270), (321, 280), (323, 282)],
    ids=["ptrace", "process_vm_readv", "bpf", "userfaultfd"],
)
def test_an_attack_ends_the_process(guarded: Sandbox, x86_64: int, aarch64: int) -> None:
    # Caught or not: nothing comes after it.
    assert is_forbidden(failure(guarded, "call", x86_64=x86_64, aarch64=aarch64))


def test_inputs_can_not_be_changed(sandbox: Sandbox) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux seals memory")
    memory = Memory.of([b"untouched"])
    assert do(sandbox, "tamper", [memory]).report == b"0"
    assert bytes(memory.view()) == b"untouched"
    memory.close()


def test_an_action_holds_no_descriptor_but_its_own(sandbox: Sandbox) -> None:
    with Path("/dev/null").open() as _, a_sandbox():
        inputs = [Memory.of([b"a"]), Memory.of([b"b"])]
        held = json.loads(do(sandbox, "descriptors", inputs).report)
    # Standard ones, job, report, output; an input and its mapping.
    assert len(held) <= 3 + 3 + 1 + 2 * len(inputs)


class TestWithoutLandlock:
    @pytest.fixture(scope="class")
    @staticmethod
    def sandbox() -> Generator[Sandbox]:
        with a_sandbox("hostile_without_landlock") as found:
            if not found.level.has_seccomp:
                pytest.skip("this kernel has no seccomp")
            yield found

    def test_the_level_says_so(self, sandbox: Sandbox) -> None:
        assert sandbox.level.guard == "seccomp"
        assert "seccomp" in sandbox.level.text("ja")
        assert sandbox.level.hint("en")

    def test_nothing_is_opened_and_nothing_is_sent(self, sandbox: Sandbox, own_file: Path) -> None:
        for path in ("/etc/passwd", str(own_file), json.__file__):
            assert is_forbidden(failure(sandbox, "read", path=path))
        assert is_forbidden(failure(sandbox, "write", path=str(own_file)))
        assert is_forbidden(failure(sandbox, "udp", port=9))
        assert is_forbidden(failure(sandbox, "fork_bomb"))
        assert own_file.read_text() == "秘密"


class TestWithoutSeccomp:
    @pytest.fixture(scope="class")
    @staticmethod
    def sandbox() -> Generator[Sandbox]:
        with a_sandbox("hostile_without_seccomp") as found:
            if not found.level.has_landlock:
                pytest.skip("this kernel has no Landlock")
            yield found

    def test_the_level_says_so(self, sandbox: Sandbox) -> None:
        assert sandbox.level.guard == "landlock"
        assert "Landlock" in sandbox.level.text("en")

    def test_files_stay_closed(self, sandbox: Sandbox, own_file: Path) -> None:
        assert is_forbidden(failure(sandbox, "read", path="/etc/passwd"))
        assert is_forbidden(failure(sandbox, "write", path=str(own_file)))
        assert is_forbidden(failure(sandbox, "delete", path=str(own_file)))
        assert own_file.read_text() == "秘密"

    def test_others_are_not_signalled_nor_called_by_tcp(
        self, sandbox: Sandbox, bystander: subprocess.Popen[bytes]
    ) -> None:
        if sandbox.level.landlock_abi < 6:
            pytest.skip("Landlock judges signals from ABI 6")
        assert is_forbidden(failure(sandbox, "kill", pid=bystander.pid))
        assert bystander.poll() is None
        with socket.create_server(("127.0.0.1", 0)) as listener:
            assert is_forbidden(failure(sandbox, "tcp", port=listener.getsockname()[1]))


class TestWithoutGuards:
    @pytest.fixture(scope="class")
    @staticmethod
    def sandbox() -> Generator[Sandbox]:
        with a_sandbox("hostile_without_guards") as found:
            yield found

    def test_the_level_says_so(self, sandbox: Sandbox) -> None:
        assert sandbox.level.guard == "limits"
        assert "遮断されません" in sandbox.level.text("ja")

    def test_time_and_memory_are_limited_all_the_same(self, sandbox: Sandbox) -> None:
        assert failure(sandbox, "endless", SHORT).text_id == "sandbox_time"
        assert failure(sandbox, "allocate").text_id == "sandbox_memory"

    def test_python_still_refuses_to_write(self, sandbox: Sandbox, own_file: Path) -> None:
        assert is_forbidden(failure(sandbox, "write", path=str(own_file)))
        assert is_forbidden(failure(sandbox, "make_folder", path=str(own_file.parent / "folder")))
        assert own_file.read_text() == "秘密"


def test_jobs_that_can_not_be_loaded_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for jobs in (f"{JOBS}.failing_at_start", f"{JOBS}.nowhere"):
        with Sandbox(jobs, Limits()) as sandbox, pytest.raises(Exception, match="起動できません"):
            _ = sandbox.level


def test_without_fork_a_person_is_told_what_analysis_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")
    with Sandbox(f"{JOBS}.hostile") as sandbox, pytest.raises(Exception, match="このOSでは"):
        _ = sandbox.level
