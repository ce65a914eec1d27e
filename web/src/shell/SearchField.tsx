"use client";

import { Icon } from "./Icon";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onSend?: (() => void) | undefined;
  placeholder?: string;
}

/** One line to search with; its label is its placeholder, and read aloud. */
export function SearchField({ label, value, onChange, onSend, placeholder }: Props) {
  return (
    <form
      className="search-field"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSend?.();
      }}
    >
      <Icon name="search" />
      <input type="search" aria-label={label} placeholder={placeholder ?? label} value={value} onChange={(event) => onChange(event.target.value)} />
    </form>
  );
}
