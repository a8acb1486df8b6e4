import { readFileSync } from 'node:fs';

/** Of this package; src/ and dist/ are equally far from it. */
export function version(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
