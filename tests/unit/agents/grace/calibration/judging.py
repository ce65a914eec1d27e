"""People who judge answers."""

from collections.abc import Iterable
from datetime import UTC, datetime

import sqlalchemy as sa

from sanbo.agents.grace.calibration import records
from sanbo.agents.grace.calibration.calibrations import Calibrations, Heard
from sanbo.agents.grace.calibration.records import Feedback, Verdict, scored
from sanbo.agents.grace.confidence.model import FITTED
from sanbo.agents.grace.settings import GraceSettings
from sanbo.storage.database import Database
from sanbo.storage.tables import runs
from tests.workflows.answers import answered

SETTINGS = GraceSettings(refit_labels=20)


def asked(database: Database, *run_ids: str) -> None:
    rows = [
        {
            "run_id": run_id,
            "workflow": "grace",
            "conversation_id": "c",
            "owner": "local",
            "status": "succeeded",
            "last_seq": 0,
            "created_at": 0.0,
            "updated_at": 0.0,
            "epoch": 0,
            "cancel_requested": False,
        }
        for run_id in run_ids
    ]
    with database.write() as connection:
        connection.execute(sa.insert(runs), rows)


class Judging:
    """Judges one answer after the other."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.calibrations = Calibrations(database)
        self.count = 0

    def __call__(
        self,
        score: float,
        verdict: Verdict,
        *,
        run_id: str = "",
        found: bool = True,
        settings: GraceSettings = SETTINGS,
        calibration: str = FITTED.version,
    ) -> Heard:
        if not run_id:
            self.count += 1
            run_id = f"run-{self.count}"
            asked(self.database, run_id)
        return self.calibrations.give_feedback(
            run_id,
            answered(score, found=found, calibration=calibration),
            verdict,
            settings=settings,
            actor="local",
            comment="理由",
        )

    def all_of(self, judged: Iterable[tuple[float, Verdict]]) -> None:
        """At once, and without moving anything."""
        told = [
            Feedback(
                **dict(scored(answered(score))),
                run_id=f"many-{number}",
                number=number,
                verdict=verdict,
                actor="local",
                time=datetime.now(UTC),
            )
            for number, (score, verdict) in enumerate(judged, start=1)
        ]
        asked(self.database, *(each.run_id for each in told))
        with self.database.write() as connection:
            for each in told:
                records.write_feedback(connection, each)
