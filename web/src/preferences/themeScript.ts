export const THEME_KEY = "sanbo.theme";

/** Runs before the first paint, so that nothing flashes; stands in the page itself. The page is
 *  written in Japanese: readers of English see it once it speaks English. */
export const FIRST_SCRIPT = `try{var d=document.documentElement,t=localStorage.getItem("${THEME_KEY}");if(t==="light"||t==="dark")d.dataset.theme=t;var q=new URLSearchParams(location.search).get("lang")||localStorage.getItem("sanbo.language")||navigator.language||"";if(q.slice(0,2)!=="ja")d.dataset.other=""}catch(e){}`;
