// npm run simulate: the engine in virtual time. The arguments are those of testkit/src/simulate.ts.

import { become, ensureBuild, ensureModules, script } from './setup.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await become('testkit/dist/simulate.js');
});
