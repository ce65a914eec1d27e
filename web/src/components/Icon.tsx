/** Drawn lines, never read aloud: whatever has one also has words. */

const PATHS = {
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14m5 12 4 4",
  stop: "M6.5 6.5h11v11h-11z",
  download: "M12 4v11m-4.5-4L12 15.5 16.5 11M5 20h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  close: "M6 6l12 12M18 6 6 18",
  history: "M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 1.8",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8m0-5v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5",
  check: "M5 12.5 10 17.5 19 7",
  warning: "M12 4 21 19.5H3zM12 10v4.5m0 2.5v.2",
  plus: "M12 5v14M5 12h14",
  back: "M14.5 5.5 8 12l6.5 6.5",
  forward: "M9.5 5.5 16 12l-6.5 6.5",
  trash: "M5 7h14M10 7V4.5h4V7m-7 0 1 13h8l1-13",
  document: "M7 3.5h7l4 4v13H7zM14 3.5v4h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
