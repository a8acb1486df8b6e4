export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Whether a column is numeric; decimals are too, although they are sent as text so that no digit is lost. */
export function isNumeric(type: string): boolean {
  return /number|decimal/i.test(type);
}

/** Numbers by size, texts by their letters, nothing last, whichever way round. */
export function compareBy(
  { name: column, type }: { readonly name: string; readonly type: string },
  down: boolean,
): (a: Row, b: Row) => number {
  const turn = down ? -1 : 1;
  // As texts, -10 would come after -5, and 1.25 after 1.3.
  const bySize = isNumeric(type);
  return (a, b) => {
    const [x = null, y = null] = [a[column], b[column]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const difference = bySize ? Number(x) - Number(y) : Number.NaN;
    if (!Number.isNaN(difference) && difference !== 0) return turn * difference;
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

/**
 * What a chart shows at first: a column of labels by the number beside it. An id is a number too, and its sum says nothing; it is left out by its
 * name. Without a number, how often each label is there.
 */
export function chartOf(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly Row[],
): { readonly by: string; readonly sum: string | null } {
  const numbers = columns.filter((column) => isNumeric(column.type) && !isId(column.name));
  const others = columns.filter((column) => !numbers.includes(column));
  const labels = others.toSorted((a, b) => Number(isNumeric(a.type)) - Number(isNumeric(b.type)));
  const differ = (name: string): number => new Set(rows.map((row) => row[name] ?? null)).size;
  const by = labels.find(({ name }) => differ(name) > 1) ?? labels[0] ?? columns[0];
  const sum = numbers.find((column) => column !== by) ?? null;
  return { by: by?.name ?? '', sum: sum?.name ?? null };
}

/** `JobID`, `contact_id`, `subscriberkey`; no `AmountPaid`. */
function isId(name: string): boolean {
  if (/(?:^|[^\p{L}])(?:id|key)$/iu.test(name) || /\p{Ll}(?:ID|Id|Key)$/u.test(name)) return true;
  const isOneCase = name === name.toLowerCase() || name === name.toUpperCase();
  return isOneCase && /(?:id|key)$/i.test(name) && !/(?:aid|bid|void|grid|valid)$/i.test(name);
}
