// npm run bench: Millrace beside other queues. bench/ has a lock file of its own, so that
// `npm start` stays light, and starts its private servers itself, with services.mjs.

import { join } from 'node:path';
import { debianPackages } from './services.mjs';
import {
  become,
  ensureBuild,
  ensureConsole,
  ensureModules,
  ensurePackages,
  root,
  script,
} from './setup.mjs';

await script(async () => {
  await ensurePackages(Object.values(debianPackages));
  await ensureModules();
  await ensureModules(join(root, 'lab/bench'));
  await ensureBuild();
  await ensureConsole();
  await become('lab/bench/main.mjs');
});
