import { useState } from 'react';
import type { Lint } from '../types.ts';
import { sampleFor } from './sample.ts';

const KEY = 'millrace.sample.';

export interface Sample {
  readonly text: string;
  /** The last text that was JSON. */
  readonly data: Record<string, unknown>;
  setText(text: string): void;
  reset(): void;
}

/** Sample data of a template, kept in this browser. */
export function useSample(name: string, lint: Lint): Sample {
  const made = (): string =>
    JSON.stringify(sampleFor(lint.fields, new Date().toISOString().slice(0, 10)), null, 2);
  const [text, setText] = useState(() => localStorage.getItem(KEY + name) ?? made());
  const [data, setData] = useState(() => recordIn(text) ?? {});
  const change = (next: string): void => {
    setText(next);
    const record = recordIn(next);
    if (record === null) return;
    setData(record);
    try {
      localStorage.setItem(KEY + name, next);
    } catch {
      // A sample with pictures may be too large to be kept: it is there until the page is left.
    }
  };
  return {
    text,
    data,
    setText: change,
    reset: () => {
      localStorage.removeItem(KEY + name);
      change(made());
    },
  };
}

function recordIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
