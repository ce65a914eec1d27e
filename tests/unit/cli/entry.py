"""The command line with the test workflows in the catalog: `python -m tests.unit.cli.entry …`."""

from sanbo.cli.main import main
from sanbo.service import catalog
from tests.workflows import WORKFLOWS

DEMOS = (
    catalog.Demo("expenses", {"title": "出張", "amounts": "1200, 800"}),
    catalog.Demo("approval", {"topic": "備品の購入"}, answers=({"approved": True},)),
)


def install() -> None:
    """Before the service is loaded, which takes the catalog as it finds it."""
    # pyrefly: ignore[bad-assignment]
    catalog.WORKFLOWS = WORKFLOWS
    catalog.DEMOS = DEMOS


if __name__ == "__main__":
    install()
    main()
