import { readFileSync } from 'node:fs';

/** The version of this package; src/ and dist/ are equally far from its package.json. */
export function version(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
