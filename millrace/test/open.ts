import { onTestFinished } from 'vitest';
import { type Millrace, type MillraceOptions, createMillrace } from '../src/index.ts';

/** Stopped after the test, before its database goes. Nothing is printed. */
export async function open(options: MillraceOptions): Promise<Millrace> {
  const millrace = await createMillrace({ log: false, ...options });
  onTestFinished(() => millrace.stop());
  return millrace;
}
