/** Longer words are not compared. */
const LONGEST = 100;
/** So many words are compared. */
const MOST_COMPARED = 2_000;

/** The word that a misspelt one was probably meant to be; null when none is within so many slips. */
export function nearest(
  word: string,
  known: readonly string[],
  mostSlips = Math.max(word.length, 3) / 2,
): string | null {
  let best: { word: string; distance: number } | null = null;
  if (word.length > LONGEST) return null;
  for (const candidate of known.slice(0, MOST_COMPARED)) {
    if (candidate.length > LONGEST) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = { word: candidate, distance };
  }
  return best !== null && best.distance <= mostSlips ? best.word : null;
}

/** Two neighbours in the wrong order count as one slip: the most frequent one when typing. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
