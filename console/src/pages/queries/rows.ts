export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Numbers by size, texts by their letters, nothing last, whichever way round. */
export function compareBy(column: string, down: boolean): (a: Row, b: Row) => number {
  const turn = down ? -1 : 1;
  return (a, b) => {
    const [x = null, y = null] = [a[column], b[column]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (typeof x === 'number' && typeof y === 'number') return turn * (x - y);
    return turn * String(x).localeCompare(String(y), 'en', { numeric: true });
  };
}

export interface Slice {
  readonly label: string;
  readonly value: number;
}

/** The most of a column: by the sum of a number, or by how often each value is there. The rest is one slice. */
export function topOf(rows: readonly Row[], by: string, sum: string | null, most = 8): Slice[] {
  const totals = new Map<string, number>();
  for (const row of rows) {
    const label = String(row[by] ?? 'null');
    const value = sum === null ? 1 : Number(row[sum] ?? 0);
    totals.set(label, (totals.get(label) ?? 0) + (Number.isFinite(value) ? value : 0));
  }
  const all = [...totals]
    .map(([label, value]) => ({ label, value }))
    .toSorted((a, b) => b.value - a.value);
  const rest = all.slice(most).reduce((total, { value }) => total + value, 0);
  return rest > 0 ? [...all.slice(0, most), { label: 'all others', value: rest }] : all;
}
