"""Security headers: on every response, whoever made it."""

from starlette.datastructures import MutableHeaders

STRICT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

# Streamlit's one inline script. After an update of Streamlit it may be another: then a browser's
# console names the new hash, and nothing else is different.
_STREAMLIT_SCRIPT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"

# What Streamlit's pages need, and no outside host: its charts compile expressions (eval), its
# styles are made at run time, its tables and charts work in workers made from blobs.
UI_POLICY = "; ".join(
    (
        "default-src 'self'",
        f"script-src 'self' {_STREAMLIT_SCRIPT} 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)

_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: with that, browsers send `Origin: null` from our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}
_OUR_OWN = ("/api", "/graphql", "/login", "/logout")


def is_our_own(path: str) -> bool:
    """Whether we wrote what is answered here; the rest is the user interface."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in _OUR_OWN)


def secure(headers: MutableHeaders, path: str) -> None:
    """Adds what is missing; a response that has a policy of its own keeps it."""
    for name, value in _EVERYWHERE.items():
        headers.setdefault(name, value)
    own = is_our_own(path)
    headers.setdefault("Content-Security-Policy", STRICT_POLICY if own else UI_POLICY)
    headers.setdefault("X-Frame-Options", "DENY" if own else "SAMEORIGIN")
    if own:
        headers.setdefault("Cache-Control", "no-store")
    for name in list(headers.keys()):
        if name.startswith("access-control-"):  # no other origin is ever permitted
            del headers[name]
