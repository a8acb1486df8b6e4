/** Salesforce keeps whole seconds. Fractions are cut. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
