/** A value that several components read and the browser keeps: language and theme are such. */

export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(read: () => T, write: (value: T) => void): Store<T> {
  const listeners = new Set<() => void>();
  let current: { value: T } | null = null;
  return {
    get() {
      current ??= { value: read() };
      return current.value;
    },
    set(value) {
      current = { value };
      write(value);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Browsers that keep nothing (private windows, policies) throw where others answer. */
export function remembered(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // It is then asked again at the next visit.
  }
}
