"""Deliberate mistakes in what is stored, and in what opening makes of it, for the mutants of T3."""

from __future__ import annotations

from tests.recovery.mistakes import Mistake

LOG = [
    Mistake(
        "runtime/log_file.py",
        "            self._disk.sync(self._fd)\n            alone",
        "            alone",
        "A commit is acknowledged before it is durable.",
    ),
    Mistake(
        "runtime/log_file.py",
        "        except OSError as error:\n            self._take_back(len(line))\n            if error.errno not in _FULL",
        "        except OSError as error:\n            if error.errno not in _FULL",
        "Half a record is left behind when the disk is full.",
    ),
    Mistake(
        "runtime/log_file.py",
        "            self._disk.truncate(self._fd, self.index.end)\n        self._disk.sync(self._fd)\n",
        "        self._disk.sync(self._fd)\n",
        "A torn tail is not cut.",
    ),
    Mistake(
        "runtime/log_file.py",
        "            self._keep_aside(self.index.end, findings.torn)\n",
        "",
        "A torn tail is not kept aside.",
    ),
    Mistake(
        "runtime/log_file.py",
        "        for name in self._kept_aside_here():",
        "        for name in self._kept_aside_here()[: findings.torn]:",
        "A cut is told of only by the process that made it.",
    ),
    Mistake(
        "runtime/conversation_folder.py",
        "            self.disk.sync_folder(self.path)\n        except BaseException:",
        "        except BaseException:",
        "The name of a new log is not durable.",
    ),
    Mistake(
        "runtime/blobs.py",
        "                write_all(self._disk, fd, data)\n                self._disk.sync(fd)",
        "                write_all(self._disk, fd, data)",
        "A large text is not durable before the line that names it.",
    ),
    Mistake(
        "runtime/jsonl_store.py",
        "            for data in commit.blobs.values():\n                self._put(log, data)\n"
        "            log.append(commit.line, self.writer_id, len(events), commit.blobs)",
        "            log.append(commit.line, self.writer_id, len(events), commit.blobs)\n"
        "            for data in commit.blobs.values():\n                self._put(log, data)",
        "A line is written before the large text that it names.",
    ),
    Mistake(
        "runtime/log.py",
        "        self.store.append(commit)\n        self._in_doubt = False\n        self._fold(commit, replay)",
        "        self._fold(commit, replay)\n        self.store.append(commit)\n        self._in_doubt = False",
        "Memory learns of a commit before the disk has it.",
    ),
    Mistake(
        "runtime/agent.py",
        "self.log.append(success, *reply)",
        "(*self.log.append(success), *self.log.append(*reply))",
        "A success and its reply are two commits.",
    ),
]

RECOVERY = [
    Mistake("runtime/opening.py", "    events += closures(view)\n", "", "Opening leaves calls open."),
    Mistake(
        "runtime/opening.py",
        "    for request in view.outstanding:\n",
        "    for request in ():\n",
        "Opening leaves a summary request outstanding.",
    ),
    Mistake(
        "runtime/opening.py",
        " and not _said(view, wording.NEW_KERNEL)",
        "",
        "Each opening says again that the kernel is new.",
    ),
    Mistake(
        "runtime/opening.py",
        "noticed = [*store.recovered, ",
        "noticed = [",
        "A torn tail is cut without a word in the log.",
    ),
    Mistake(
        "runtime/opening.py",
        "            log.store.give_up(",
        "            raise\n            log.store.give_up(",
        "A disk that takes no repair keeps a conversation from being read.",
    ),
    Mistake(
        "runtime/runner.py",
        "        if call.id in view.started:\n",
        "        if call.id not in view.started:\n",
        "A call that may have run is said not to have run.",
    ),
    Mistake(
        "runtime/runner.py",
        "            self.log.append(*consented, ToolStartEvent(**mint(), action_id=action.id))\n",
        "            self.log.append(*consented) if consented else None\n",
        "A tool starts without an intent on disk.",
    ),
    Mistake(
        "runtime/runner.py",
        "self.log.append(*consented, ToolStartEvent",
        "self.log.append(ToolStartEvent",
        "A tool starts without its approval on disk.",
    ),
    Mistake(
        "core/view.py",
        '        "open_calls": tuple(other for other in view.open_calls if other is not call),\n',
        "",
        "A call with a result counts as open.",
    ),
]

SNAPSHOT = [
    Mistake(
        "runtime/log.py",
        "for commit in self.store.commits(self._kept):",
        "for commit in () if self._kept else self.store.commits():",
        "A stale snapshot is believed.",
    ),
    Mistake(
        "runtime/log.py",
        "for commit in self.store.commits(self._kept):",
        "for commit in self.store.commits():",
        "What a snapshot holds is folded twice.",
    ),
    Mistake(
        "runtime/log_file.py",
        "return (at, crc) == (index.end, index.crc)",
        "return at < index.end or crc == index.crc",
        "A snapshot ahead of its log is believed.",
    ),
    Mistake(
        "runtime/log_file.py",
        "return (at, crc) == (index.end, index.crc)",
        "return at == index.end",
        "A snapshot of another conversation is believed.",
    ),
    Mistake(
        "runtime/snapshot.py",
        "last_writer_id=snapshot.last_writer_id,",
        "last_writer_id=None,",
        "A snapshot does not say who wrote the log last.",
    ),
    Mistake(
        "core/folds.py",
        '{"cuts": MappingProxyType(cuts)} if cuts else {}',
        "{}",
        "A snapshot forgets what was cut.",
    ),
]

MISTAKES_IN_LOGS = [*LOG, *RECOVERY, *SNAPSHOT]
