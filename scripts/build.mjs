// npm run build: `dist` of every workspace but the console.

import { ensureBuild, ensureModules, script } from './setup.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
});
