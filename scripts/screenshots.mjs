// npm run screenshots: pictures of the console. The arguments are those of console/screenshots/take.mjs.

import { debianPackages, fontPackages } from './services.mjs';
import {
  become,
  ensureBuild,
  ensureConsole,
  ensureModules,
  ensurePackages,
  script,
} from './setup.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await ensureConsole();
  const { browser, postgres, office } = debianPackages;
  await ensurePackages([browser, postgres, office, ...fontPackages]);
  await become('console/screenshots/take.mjs');
});
