// Writes the field permissions of the permission sets from the table of rights: npm run permissions

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { permissionSets } from './lib/permissions.mjs';
import { packageRoot } from './lib/project.mjs';

for (const { path, wanted } of permissionSets(join(packageRoot, 'force-app/main/default')))
  writeFileSync(path, wanted);
