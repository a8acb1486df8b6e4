/** The word that a misspelt one was probably meant to be; null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  let best: { word: string; distance: number } | null = null;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance < (best?.distance ?? Infinity)) best = { word: candidate, distance };
  }
  return best !== null && best.distance <= word.length / 2 ? best.word : null;
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
