/** Runs telemetry code and drops its errors: a fault in what measures must not become a fault of what is measured. */
export function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
