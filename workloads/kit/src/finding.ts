import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** One thing that the process stands on, as `millrace doctor` found it. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'missing' | 'cannot tell';
  /** A sentence. */
  readonly found: string;
  /** What to do; null where there is nothing to do. */
  readonly advice: string | null;
}

export function there(check: string, found: string): Finding {
  return { check, verdict: 'ok', found: sentence(found), advice: null };
}

export function missing(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'missing', found: sentence(found), advice };
}

export function unknown(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'cannot tell', found: sentence(found), advice };
}

/** What others said often ends without a full stop, and the advice follows it. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

const LEAST_BYTES = 1_000_000_000;

export async function diskFinding(what: string, folder: string): Promise<Finding> {
  const place = resolve(folder);
  try {
    const { bavail, bsize } = await statfs(await existing(place));
    const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free for ${place}.`;
    if (bavail * bsize >= LEAST_BYTES) return there(`disk (${what})`, free);
    return missing(`disk (${what})`, free, 'Make room: under 1 GB a batch may fill it.');
  } catch (error) {
    return unknown(`disk (${what})`, String(error), 'Name a folder that can be read.');
  }
}

/** The folder, or the nearest above it that is there. */
export async function existing(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch (error) {
    if (dirname(folder) === folder) throw error;
    return existing(dirname(folder));
  }
}
