const listeners = new Set();

/** Tells every list on the page that something happened to the documents of a record. */
export function announce(recordId) {
  for (const listener of listeners) listener(recordId);
}

/** Hears of every record; the listener looks whether it is its own. Returns what ends it. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
