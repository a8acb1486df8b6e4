const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,204`. */
export function count(value: number): string {
  return grouped.format(value);
}

/** `1 job`, `1,204 jobs`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}
