"""System calls by number, for x86_64 and aarch64: what an action may not do.

Every call that Linux has up to `NEWEST` was looked at: what is not named here is harmless to an
action that can open nothing. What is newer does not exist for it.
"""

import platform
import sys
from collections.abc import Mapping

Numbers = Mapping[str, tuple[int | None, int | None]]
"""The call's number on x86_64 and on aarch64; None where there is no such call."""

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: the place in `Numbers`, and the name that the kernel gives the architecture."""
NEWEST = 471


# They have no honest use here: the process is ended at once.
KILLED: Numbers = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "iopl": (172, None),
    "ioperm": (173, None),
}
NETWORK: Numbers = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "bind": (49, 200),
    "connect": (42, 203),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "recvmmsg": (299, 243),
    "setsockopt": (54, 208),
    "getsockopt": (55, 209),
    "shutdown": (48, 210),
}
# Other processes, and the limits of this one.
PROCESSES: Numbers = {
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "setpgid": (109, 154),
    "setsid": (112, 157),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "prctl": (157, 167),
    "setrlimit": (160, 164),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
PRIVILEGES: Numbers = {
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "personality": (135, 92),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "lsm_set_self_attr": (460, 460),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "modify_ldt": (154, None),
}
# Mounts, namespaces, clocks, the machine.
SYSTEM: Numbers = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "listns": (470, 470),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "uselib": (134, None),
    "_sysctl": (156, None),
}
# Memory and work that the limit of the address space does not count.
MEMORY_ELSEWHERE: Numbers = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    "mlock": (149, 228),
    "mlock2": (325, 284),
    "mlockall": (151, 230),
    "io_setup": (206, 0),
    "io_destroy": (207, 1),
    "io_getevents": (208, 4),
    "io_pgetevents": (333, 292),
    "io_submit": (209, 2),
    "io_cancel": (210, 3),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "splice": (275, 76),
    "tee": (276, 77),
    "vmsplice": (278, 75),
}
# Landlock does not judge all of these: rights, owners, times and attributes are beyond it.
FILES_CHANGED: Numbers = {
    "creat": (85, None),
    "truncate": (76, 45),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "link": (86, None),
    "linkat": (265, 37),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
}
# Refused only where there is no Landlock to judge the path.
OPENING: Numbers = {
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
}
# Judged by their arguments; clone3 does not exist, so that libraries fall back to clone.
SPECIAL: Numbers = {
    "clone3": (435, 435),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "prlimit64": (302, 261),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
}


def architecture() -> tuple[int, int] | None:
    """Of this machine; None where the numbers are not known."""
    # A 32-bit Python on a 64-bit kernel makes calls of another architecture.
    is_wide = sys.maxsize > 1 << 32
    return ARCHITECTURES.get(platform.machine()) if is_wide else None


def numbers_of(calls: Numbers, place: int) -> list[int]:
    found = (numbers[place] for numbers in calls.values())
    return [number for number in found if number is not None]


def number_of(name: str) -> int:
    """Of a call that both architectures have, on this machine."""
    known = architecture()
    number = _BY_NAME[name][known[0]] if known else None
    if number is None:
        raise OSError(f"the number of {name} is not known on this machine")
    return number


_BY_NAME: Numbers = {**PRIVILEGES, **SPECIAL}
