/** The middle value; the mean of the two middle ones when there is an even number. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Nearest rank: the smallest value that at least `share` of all values do not exceed. */
export function percentile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** `digits` decimals, thousands grouped, and a dash for what was not measured. */
export function figure(value, digits = 0) {
  if (!Number.isFinite(value)) return '–';
  return value.toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** For the result line, which programs read: two decimals, no grouping. */
export const ratio = (value) => (Number.isFinite(value) ? value.toFixed(2) : 'n/a');

/** The median with the lowest and the highest: how far the rounds agree. */
export const spread = (values) =>
  `${ratio(median(values))} (${ratio(Math.min(...values))}–${ratio(Math.max(...values))})`;

/** Plain text columns; the first is aligned left, the others right. */
export function table(header, rows) {
  const lines = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const print = (line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [print(lines[0]), rule, ...lines.slice(1).map(print)].join('\n');
}
