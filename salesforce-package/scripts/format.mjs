// npm run format: writes the files that are not formatted.

import { formatAll } from './checks/format.mjs';
import { packageRoot } from './lib/project.mjs';

for (const path of await formatAll(packageRoot)) console.log(path);
