"use strict";
(() => {
  const page = document.documentElement;
  page.classList.add("js");
  page.classList.toggle("framed", window.self !== window.top);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const rows = all(".row[data-n]");
  const items = all(".list li");
  const kinds = all("input[name=kind]");
  const flags = all("input[name=flag]");
  const fold = document.getElementById("fold");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  let current = null;

  const fits = (element, wantedKinds, wantedFlags) => {
    const { kind, flags: own } = element.dataset;
    if (!wantedKinds.has(kind)) return false;
    if (wantedFlags.size && !own.split(" ").some((flag) => wantedFlags.has(flag))) return false;
    return true;
  };
  const chosen = (boxes) => new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const isFolded = (element) => fold && fold.checked && "quiet" in element.dataset;

  const filter = () => {
    const wantedKinds = chosen(kinds);
    const wantedFlags = chosen(flags);
    for (const row of rows) row.hidden = !fits(row, wantedKinds, wantedFlags);
    let count = 0;
    for (const item of items) {
      const fitting = fits(item, wantedKinds, wantedFlags);
      item.hidden = !fitting || isFolded(item);
      if (fitting) count += 1;
    }
    const unchanged = wantedKinds.has("unchanged") && !wantedFlags.size;
    for (const same of all("details.same")) same.hidden = !unchanged;
    for (const title of all(".row.title")) title.hidden = wantedFlags.size > 0;
    for (const quiet of all("details.quiet")) {
      quiet.hidden = all(".row[data-n]", quiet).every((row) => row.hidden) && !unchanged;
    }
    shown.textContent = shown.dataset.template.replace("{shown}", count);
    nothing.hidden = count > 0 || items.length === 0;
  };

  const foldRenumbered = () => {
    for (const quiet of all("details.quiet")) quiet.open = !fold.checked;
    filter();
  };

  const show = (name) => {
    const row = document.getElementById(name);
    if (!row) return;
    const number = row.dataset.n;
    for (const marked of all(".current")) marked.classList.remove("current");
    for (const marked of all(`[data-n="${number}"]`)) marked.classList.add("current");
    for (let up = row.parentElement; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
    }
    row.hidden = false;
    current = document.getElementById(`c${number}`);
    const reach = () => row.scrollIntoView({ block: "center" });
    reach();
    requestAnimationFrame(reach); // rows that were never drawn have only guessed heights
    row.focus({ preventScroll: true });
    const item = items.find((each) => each.dataset.n === number);
    const list = document.querySelector(".side");
    if (item && getComputedStyle(list).position === "sticky") {
      const inside = item.getBoundingClientRect();
      const around = list.getBoundingClientRect();
      if (inside.top < around.top || inside.bottom > around.bottom) {
        list.scrollTop += inside.top - around.top - around.height / 3;
      }
    }
  };

  const step = (by) => {
    const open = rows.filter(
      (row) => row.id === `c${row.dataset.n}` && !row.hidden && !isFolded(row)
    );
    if (!open.length) return;
    let next;
    const at = current ? open.indexOf(current) : -1;
    if (at >= 0) {
      next = open[(at + by + open.length) % open.length];
    } else {
      const middle = window.innerHeight / 2;
      const below = open.find((row) => row.getBoundingClientRect().top > middle);
      next = by > 0 ? below || open[0] : open[open.length - 1];
      if (window.scrollY === 0 && by > 0) next = open[0];
    }
    show(next.id);
  };

  for (const box of [...kinds, ...flags]) box.addEventListener("change", filter);
  if (fold) fold.addEventListener("change", foldRenumbered);
  document.getElementById("reset").addEventListener("click", () => {
    for (const box of kinds) box.checked = true;
    for (const box of flags) box.checked = false;
    filter();
  });
  document.getElementById("next").addEventListener("click", () => step(1));
  document.getElementById("previous").addEventListener("click", () => step(-1));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    show(link.getAttribute("href").slice(1));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
  });
  if (window.innerWidth <= 820) for (const part of all(".side > details")) part.open = false;
  if (fold && fold.checked) foldRenumbered();
  else filter();
})();
