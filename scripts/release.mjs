// npm run release: everything that a release has, in build/release/VERSION/. It publishes nothing; it prints the commands
// that do.
//
//   npm run release -- --dry-run      a rehearsal: also where the tree is not clean, or the commit has no tag
//   npm run release -- --to FOLDER    elsewhere

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readManifest } from './packages/list.mjs';
import { packAll } from './packages/pack.mjs';
import { writeChecksums, writeDeployment, writeDescriptions } from './release/artifacts.mjs';
import { changesOf, folderFault, refusals, versionFaults } from './release/checks.mjs';
import {
  SetupError,
  ensureBuild,
  ensureConsole,
  ensureModules,
  quietly,
  root,
  script,
} from './setup.mjs';
import { ensureSite } from './site.mjs';

await script(async () => {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false }, to: { type: 'string' } },
  });
  const { version } = readManifest('');
  const target = resolve(values.to ?? join(root, 'build', 'release', version));
  const inTheWay = values.to === undefined ? null : folderFault(target);
  if (inTheWay !== null) throw new SetupError(inTheWay);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const faults = versionFaults(version);
  if (faults.length > 0) throw new SetupError(faults.join('\n'));
  const [changed, tags, files] = await Promise.all([
    lines('status', '--porcelain'),
    lines('tag', '--points-at', 'HEAD'),
    lines('ls-files'),
  ]);
  const notYet = refusals({
    version,
    changed: changed.map((line) => line.slice(3)),
    tags,
    changelog,
  });
  if (notYet.length > 0 && !values['dry-run'])
    throw new SetupError(`${notYet.join('\n')}\nA rehearsal: npm run release -- --dry-run`);

  await ensureModules();
  await ensureBuild();
  await ensureConsole();
  await ensureSite();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const packed = await packAll(join(target, 'packages'));
  await writeDeployment(target, version, files);
  await writeDescriptions(target, version);
  const changes = changesOf(changelog, version) ?? changesOf(changelog, 'Unreleased') ?? '';
  writeFileSync(join(target, 'CHANGES.md'), `# Millrace ${version}\n\n${changes}\n`);
  writeChecksums(target);
  report({ target, version, notYet, tarballs: packed.map(({ file }) => file) });
});

/** @param {string[]} args */
async function lines(...args) {
  const text = await quietly('git', args, { cwd: root });
  return text.split('\n').filter((line) => line !== '');
}

/** @param {{ target: string, version: string, notYet: string[], tarballs: string[] }} made */
function report({ target, version, notYet, tarballs }) {
  console.log(`Millrace ${version} is in ${target}`);
  if (notYet.length > 0) {
    console.log('\nA rehearsal. Before it can go out:');
    for (const sentence of notYet) console.log(`  ${sentence}`);
    return;
  }
  console.log(
    '\nNothing is published yet. In this order, from a workflow of GitHub with id-token: write (elsewhere with --provenance=false):',
  );
  for (const file of tarballs) console.log(`  npm publish ${file}`);
  console.log(
    `  docker build -f docs/operations/Dockerfile -t millrace:${version} - < ${join(target, 'image-context.tar.gz')}`,
  );
}
