const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,204`. */
export function count(value: number): string {
  return grouped.format(value);
}

/** `912 B`, `30.4 KB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_950 ? `${count(bytes / 1_000)} KB` : `${count(bytes / 1_000_000)} MB`;
}

/** `1 job`, `1,204 jobs`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
