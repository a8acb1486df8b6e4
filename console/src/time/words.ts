/** Numbers and times as people read them. English words, the figures of the reader's own locale nowhere: a console is read aloud on calls. */

const number = new Intl.NumberFormat('en');

export function count(value: number): string {
  return number.format(value);
}

/** `12`, and `999+` for whatever is more than 999. */
export function countUpTo(most: number, value: number): string {
  return value > most ? `${count(most)}+` : count(value);
}

/** `1 job`, `2 jobs`, `1,204 jobs`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** 0.984 → `98.4 %`. Never 100 % while something is missing. */
export function percent(part: number, digits = 1): string {
  const scale = 10 ** digits;
  const value = part < 1 ? Math.floor(part * 100 * scale) / scale : 100;
  return `${number.format(value)} %`;
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1);
  const shown = value / 1000 ** step;
  return `${shown.toFixed(step === 0 || shown >= 100 ? 0 : 1)} ${units[step] ?? ''}`;
}

/** How long something took or will take: `0.4 s`, `48 s`, `2 min 14 s`, `3 h 5 min`, `2 d 4 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return twoUnits(Math.round(seconds));
}

function twoUnits(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  const shown = parts.slice(first, first + 2).filter(([value]) => value > 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(' ');
}

/** `in 41 s`, `3 min ago`, `now`. One unit: it is read in passing. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 2) return 'now';
  const words =
    size < 120
      ? `${size} s`
      : size < 7200
        ? `${Math.round(size / 60)} min`
        : size < 172_800
          ? `${Math.round(size / 3600)} h`
          : `${Math.round(size / 86_400)} d`;
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}
