"""Writing own parts through a library: MPI-IO, or PnetCDF where a site has it."""

from __future__ import annotations

from halocline.core.errors import UserError
from halocline.runtime.files.classic_files import unwritable
from halocline.runtime.files.mpi_files import write_runs
from halocline.runtime.files.pnetcdf_files import PnetcdfFile, usable
from halocline.runtime.ranks.communicator import Communicator, Ranks
from halocline.runtime.writing.direct_writing import Job, OpenTarget
from halocline.runtime.writing.frame_writing import Sums
from halocline.runtime.writing.mail import Mail
from halocline.runtime.writing.own_parts import OwnParts, own_runs
from halocline.runtime.writing.pen import Pen
from halocline.runtime.writing.targets import RecordTarget


class LibraryParts(OwnParts):
    """Every rank hands its own runs of a frame to a library; a collective one joins them.

    'mpiio', 'mpiio-collective', 'pnetcdf', 'pnetcdf-collective'. Restart files are no netCDF files:
    with PnetCDF they go through MPI-IO, on which it is built. A process alone needs no library.
    """

    def __init__(self, name: str, communicator: Communicator, mail: Mail, pen: Pen) -> None:
        super().__init__(communicator, mail, pen)
        self.name, self.collective = name, name.endswith("-collective")
        self._through_pnetcdf = name.startswith("pnetcdf")
        if self._through_pnetcdf and isinstance(communicator, Ranks):
            usable(communicator)
        self._files: dict[str, PnetcdfFile] = {}

    def write(self, job: Job) -> None:
        """Write a frame; a call for all ranks."""
        if job.begins:
            self.leave(job.name)
        super().write(job)

    def write_runs(self, job: Job, sums: Sums, sink: OpenTarget | object) -> None:
        """Write this rank's runs, which are on the disk afterwards; a call for all ranks."""
        offsets, lengths, data = own_runs(job.frame, self.mail.rank, job.held, sums)
        places, path = offsets + job.target.base, job.target.written
        try:
            file = self._file(job)
            if file is not None:
                file.write_runs(places, lengths, data)
            else:
                write_runs(
                    self.communicator, path, places, lengths, data, collective=self.collective
                )
        except OSError as error:
            self._fail(job.target.failure(error))

    def leave(self, name: str) -> None:
        """Close what PnetCDF has open of an output; a call for all ranks."""
        file = self._files.pop(name, None)
        if file is None:
            return
        try:
            file.close()
        except OSError as error:
            self._fail(unwritable(file.path, error))

    def _file(self, job: Job) -> PnetcdfFile | None:
        """The file of a stream as PnetCDF has it open."""
        ranks, target = self.communicator, job.target
        some = self._through_pnetcdf and isinstance(target, RecordTarget)
        if not some or not isinstance(ranks, Ranks):
            return None
        if job.name not in self._files:
            self._files[job.name] = PnetcdfFile(ranks, target.written, collective=self.collective)
        return self._files[job.name]

    def _fail(self, failure: UserError) -> None:
        """Let the pen know, which tells all ranks."""

        def task() -> None:
            raise failure

        self.pen.do(task)
        self.pen.drain()
