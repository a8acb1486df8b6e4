import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Millrace's Salesforce package: objects, Apex, and the interpreter that runs the Apex. An installed simulator has a copy of
 * what it needs beside `dist` (scripts/packages/stage.mjs); in the repository the package is a folder of its own. The same
 * paths lead there from `src/` and from `dist/`.
 */
const COPY = new URL('../salesforce-package/', import.meta.url);
const ORIGINAL = new URL('../../../../salesforce-package/', import.meta.url);
const PACKAGE = existsSync(COPY) ? COPY : ORIGINAL;

/** The interpreter's entry. */
export const APEX_RUN = new URL('scripts/apex-run/host.mjs', PACKAGE);

/** The folder of the package's objects, with its classes beside it; null where this installation has none, as in the image. */
export function packageObjects(): string | null {
  const folder = fileURLToPath(new URL('force-app/main/default/objects', PACKAGE));
  return existsSync(folder) ? folder : null;
}
