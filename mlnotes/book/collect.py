"""Notebooks as pytest sees them: nbval's, with nothing ignored and every output compared."""

import copy
import os
import re
from unittest import mock

import nbformat
import nbval.kernel
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from mlnotes.book.compare import cell_differences
from mlnotes.book.kernel import SILENCE, forked_kernels, kernel_environment, patience

OUTPUTS = ("stream", "display_data", "execute_result", "error")
REWRITING = ("update_display_data", "clear_output")
# nbval lays out every message for a log that is not kept, which takes longer than to compare it.
nbval.kernel.pformat = lambda message: message
MARKER = re.compile(r"^\s*#+\s*((NBVAL|PYTEST_VALIDATE)_\w+)", re.MULTILINE)


def is_nbval(collector):
    """Tell whether a collector is nbval's own notebook file."""
    return type(collector) is IPyNbFile


class NotebookFile(IPyNbFile):
    """A notebook, run in one kernel of this very Python."""

    def collect(self):
        for item in super().collect():
            problem = _incomparable(item.cell)
            if problem:
                raise self.CollectError(f"{self.path}, {item.name} (id {item.cell.get('id')}): {problem}")
            yield NotebookCell.from_parent(
                self, name=item.name, cell_num=item.cell_num, cell=item.cell, options=item.options
            )

    def setup(self):
        self.messages = []
        self.config.option.nbval_current_env = True
        source = "\n".join(it.source for it in self.nb.cells if it.cell_type == "code")
        # nbval opens /dev/null for the kernel, and never closes it.
        with (
            open(os.devnull, "w", encoding="utf-8") as null,
            mock.patch.object(nbval.kernel, "open", return_value=null, create=True),
        ):
            with mock.patch.dict(os.environ, kernel_environment()), forked_kernels(source):
                super().setup()
        self.kernel.execute_cell_input = self._execute

    def _execute(self, source, allow_stdin):
        # With a history, which nbval leaves out, a semicolon hides a value as it does in JupyterLab.
        return self.kernel.kc.execute(source, allow_stdin=allow_stdin, stop_on_error=False)

    def get_kernel_message(self, timeout=None, stream="iopub"):
        # nbval joins what was printed before and after a figure: keep the messages, and with them the order.
        message = super().get_kernel_message(timeout, stream)
        self.messages.append(message)
        return message


class NotebookCell(IPyNbCell):
    """A code cell whose outputs are all compared."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.committed = copy.deepcopy(self.cell.outputs)  # nbval joins streams in place
        self.output_timeout = SILENCE * patience()  # nbval's own 5 are little under load

    def setup(self):
        if self.parent.timed_out:
            pytest.fail("an earlier cell ran out of time, so that this one was not run", pytrace=False)

    def runtest(self):
        self.parent.messages.clear()
        super().runtest()

    def compare_outputs(self, test, ref, skip_compare=None):
        """Compare all that the kernel sent with all that is committed."""
        kinds = [message["msg_type"] for message in self.parent.messages]
        fresh = [nbformat.v4.output_from_msg(it) for it in self.parent.messages if it["msg_type"] in OUTPUTS]
        self.comparison_traceback = cell_differences(self.committed, fresh)
        self.comparison_traceback += [f"{kind}: an output must not change later" for kind in kinds if kind in REWRITING]
        return not self.comparison_traceback


def _incomparable(cell):
    """Say what would keep a cell from being compared, or None."""
    marker = MARKER.search(cell.source)
    tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith(("nbval", "pytest-validate"))]
    if marker or tags:
        return f"{marker[1] if marker else tags[0]} is not allowed: every output is compared"
    if cell.execution_count is None:
        return "it has no execution count, so that nothing of it would be compared: run `make notebooks`"
    return None
