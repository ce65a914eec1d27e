"""How Streamlit itself is set up: quiet, offline, in our colours, and without its own buttons."""

from pathlib import Path

from starlette.formparsers import MultiPartParser
from streamlit import config

from sanbo.settings import Settings

SCRIPT = Path(__file__).with_name("app.py")

# Fonts that office machines have; none is fetched. Streamlit's page says it is English, so without
# a Japanese font by name a browser may draw Japanese text with Chinese forms.
_FONTS = (
    "'Hiragino Sans', 'Yu Gothic UI', 'Yu Gothic', Meiryo, 'Noto Sans CJK JP', "
    "'Noto Sans JP', sans-serif"
)

_OPTIONS: dict[str, object] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "client.allowedOrigins": [],  # no page of a stranger may embed and steer this one
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    "runner.magicEnabled": False,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    # No base: light or dark as the reader's system is.
    "theme.font": _FONTS,
    "theme.showWidgetBorder": True,
    "theme.baseRadius": "6px",
    "theme.light.primaryColor": "#1f4e79",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f4f6f9",
    "theme.light.textColor": "#1c2733",
    "theme.light.borderColor": "#d5dce4",
    "theme.light.sidebar.backgroundColor": "#eef2f6",
    "theme.dark.primaryColor": "#3f7fbf",
    "theme.dark.backgroundColor": "#10161c",
    "theme.dark.secondaryBackgroundColor": "#1b232b",
    "theme.dark.textColor": "#e6ecf2",
    "theme.dark.borderColor": "#3c4854",
    "theme.dark.sidebar.backgroundColor": "#161d24",
}


def configure_streamlit(settings: Settings) -> None:
    for name, value in _OPTIONS.items():
        config.set_option(name, value)
    limit_mb = settings.server.max_upload_mb
    config.set_option("server.maxUploadSize", limit_mb)
    # Uploads of tables must not touch the disk; by itself the form's reader spools what is larger
    # than 1 MB into a file. Streamlit holds the whole upload in memory anyway.
    MultiPartParser.spool_max_size = (limit_mb + 1) << 20
