/** Whatever goes wrong while something is told is no business of what is told about. */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
