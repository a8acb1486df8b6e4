// npm run docs: the documentation as a site, which the server serves below /docs/.

import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ensureModules, root, script } from './setup.mjs';
import { ensureSite } from './site.mjs';

await script(async () => {
  await ensureModules();
  const folder = await ensureSite();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const pages = files.filter((path) => path.endsWith('.html')).length;
  const plain = files.filter((path) => !path.endsWith('.gz'));
  const bytes = plain.reduce((sum, path) => sum + statSync(path).size, 0);
  console.log(
    `${pages} pages, ${(bytes / 1_000_000).toFixed(1)} MB in ${relative(root, folder)}. A running server has them at /docs/ after its next start.`,
  );
});
