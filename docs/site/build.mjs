// Builds the site into dist/. `npm run docs` (scripts/site.mjs) runs it, once what it needs is installed.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApi } from '@millrace/api';
import { build } from 'vitepress';
import { docsPage } from '../../server/dist/docs/page.js';
import { VERSION } from '../../server/dist/version.js';
import { compress } from './finish.mjs';

const folder = join(import.meta.dirname, 'dist');
await build(import.meta.dirname);
// The running server makes this page itself; on another host it has to be a file.
writeFileSync(join(folder, 'reference.html'), docsPage(openApi({ version: VERSION })).html);
compress(folder);
