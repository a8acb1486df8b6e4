import type { WriteLine } from '@millrace/engine';
import { errorFields } from './error.ts';
import { createMask } from './mask.ts';
import { redact } from './redact.ts';

/** A line that a handler has logged, for those who look at its job: with nothing in it that the log would not have. */
export function lineWriter(secrets: readonly string[]): WriteLine {
  const mask = createMask(secrets);
  return (fields, message) => {
    const shown = Object.entries(redact(fields)).map(([name, value]) => `${name}=${textOf(value)}`);
    return mask([message, ...shown].join(' '));
  };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(errorFields(value)['message'] ?? value.message);
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
