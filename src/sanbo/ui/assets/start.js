// Runs before Streamlit's own scripts.

// Where the server is: without this, Streamlit looks for it below every page's address first.
window.__streamlit = { BACKEND_BASE_URL: `${window.location.origin}/streamlit/` }

// ---- the page's language, by which browsers choose Japanese glyphs and voices ----

const preset = document.documentElement.lang

function tellLanguage() {
  const chosen = new URLSearchParams(window.location.search).get("lang")
  document.documentElement.lang = chosen === "ja" || chosen === "en" ? chosen : preset
}

tellLanguage()
window.navigation?.addEventListener("currententrychange", tellLanguage)

// ---- typed text is sent while it is typed ----
// Streamlit sends a text when its field is left. Whoever types and then reloads, or whose
// connection breaks, would lose the last field; so a pause in typing counts as leaving it.

const PAUSE_MS = 400
const FIELDS = ".stTextArea textarea, .stTextInput input, .stNumberInput input"
let timer

function send(field) {
  if (!field.isConnected) return
  // The keys that Streamlit itself listens to: Enter, and in a text area Ctrl+Enter.
  const ctrlKey = field.tagName === "TEXTAREA"
  const keys = { key: "Enter", code: "Enter", keyCode: 13, ctrlKey, bubbles: true, cancelable: true }
  field.dispatchEvent(new KeyboardEvent("keydown", keys))
}

function onTyping(event) {
  const field = event.target
  // While a Japanese conversion is open, nothing is decided yet.
  if (event.isComposing || !field.matches?.(FIELDS)) return
  clearTimeout(timer)
  timer = setTimeout(() => send(field), PAUSE_MS)
}

document.addEventListener("input", onTyping, true)
document.addEventListener("compositionend", onTyping, true)
