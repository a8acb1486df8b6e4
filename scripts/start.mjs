// npm start: installs what is missing, builds what has changed, then is the server.

import { become, ensureBuild, ensureModules, script } from './setup.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await become('server/dist/main.js');
});
