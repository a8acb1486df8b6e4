// npm run pack: what people install, as tarballs in build/packages/.

import { join } from 'node:path';
import { packAll } from './packages/pack.mjs';
import { ensureBuild, ensureConsole, ensureModules, root, script } from './setup.mjs';
import { ensureSite } from './site.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await ensureConsole();
  await ensureSite();
  const target = join(root, 'build', 'packages');
  const packed = await packAll(target);
  const kilobytes = (/** @type {number} */ bytes) => `${Math.ceil(bytes / 1_000)} kB`.padStart(9);
  for (const { name, bytes, unpackedBytes } of packed)
    console.log(`${kilobytes(bytes)} ${kilobytes(unpackedBytes)}  ${name}`);
  const sum = (/** @type {'bytes' | 'unpackedBytes'} */ key) =>
    packed.reduce((total, each) => total + each[key], 0);
  console.log(
    `${kilobytes(sum('bytes'))} ${kilobytes(sum('unpackedBytes'))}  ${packed.length} packages, packed and unpacked, in ${target}`,
  );
});
