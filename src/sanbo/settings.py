"""All settings of a workspace: the sections that the packages declare, put together.

A package knows its own section; this module knows the modules `settings` alone, which know nobody.
"""

from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.research.settings import ResearchSettings
from sanbo.api.settings import ServerSettings
from sanbo.connectors.settings import ConnectorSettings
from sanbo.kernel.messages import Language
from sanbo.kernel.settings import DEFAULT_WORKSPACE, Section, load
from sanbo.llm.settings import LlmSettings
from sanbo.plans.settings import PlanSettings
from sanbo.retrieval.settings import RetrievalSettings
from sanbo.runs.settings import RunSettings
from sanbo.storage.settings import StorageSettings
from sanbo.triggers.settings import TriggerSettings


class Settings(Section):
    workspace: Path = DEFAULT_WORKSPACE
    language: Language = "ja"
    database_url: SecretStr | None = None
    """`postgresql://…`; without it, SQLite in the workspace."""
    database_direct_url: SecretStr | None = None
    """PostgreSQL itself, where `database_url` is a pooler that hands on single transactions."""
    storage: StorageSettings = StorageSettings()
    llm: LlmSettings = LlmSettings()
    server: ServerSettings = ServerSettings()
    runs: RunSettings = RunSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    analysis: AnalysisSettings = AnalysisSettings()
    research: ResearchSettings = ResearchSettings()
    grace: GraceSettings = GraceSettings()
    plans: PlanSettings = PlanSettings()
    connectors: ConnectorSettings = ConnectorSettings()
    triggers: TriggerSettings = TriggerSettings()


def load_settings(
    workspace: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read once; problems name the key, where it stands and the nearest known one."""
    return load(Settings, workspace, environment)
