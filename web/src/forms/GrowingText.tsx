"use client";

import { useLayoutEffect, useRef, type KeyboardEvent, type TextareaHTMLAttributes } from "react";

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange"> {
  value: string;
  onChange: (value: string) => void;
  /** Ctrl+Enter, or ⌘+Enter. */
  onSend?: (() => void) | undefined;
}

/** A text area as high as what is in it. */
export function GrowingText({ value, onChange, onSend, ...rest }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 480)}px`;
  }, [value]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend?.();
  };
  return <textarea ref={area} className="input" value={value} onChange={(event) => onChange(event.target.value)} onKeyDown={onKey} {...rest} />;
}
