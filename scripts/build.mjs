// npm run build: `dist` of every workspace but the console.

import { ensureBuild, script } from './setup.mjs';

await script(ensureBuild);
