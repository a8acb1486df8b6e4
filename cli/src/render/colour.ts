import type { JobState } from '@millrace/api';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof CODES;

export type Paint = (style: Style | null, text: string) => string;

export const coloured: Paint = (style, text) => {
  if (style === null || text === '') return text;
  const [on, off] = CODES[style];
  return `\u001B[${on}m${text}\u001B[${off}m`;
};

export const plain: Paint = (_, text) => text;

/** https://no-color.org: present and not empty means none, whatever its value. */
export function paintFor(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  const wanted = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return wanted ? coloured : plain;
}

/** Colours by state: waiting is muted, failures stand out. */
export const STATE_STYLE: Readonly<Record<JobState, Style | null>> = {
  QUEUED: null,
  PROCESSING: 'cyan',
  SUCCEEDED: 'green',
  FAILED: 'red',
  CANCELED: 'yellow',
};
