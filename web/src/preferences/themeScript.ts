export const THEME_KEY = "sanbo.theme";

/** Runs before the first paint, so that nothing flashes; stands in the page itself. */
export const THEME_SCRIPT = `try{var t=localStorage.getItem("${THEME_KEY}");if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`;
