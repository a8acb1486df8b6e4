import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hasSamePackages } from './setup.mjs';

const work = mkdtempSync(join(tmpdir(), 'millrace-setup-'));
afterAll(() => rmSync(work, { recursive: true }));

const one = { version: '1.0.0', integrity: 'sha512-one' };
const linked = { resolved: 'docx', link: true };
const workspace = { docx: { name: '@millrace/docx', dependencies: { one: '1.0.0' } } };
const asInstalled = { 'node_modules/one': one, 'node_modules/@millrace/docx': linked };

test('a lock file that asks for the packages that are there installs nothing', () => {
  const other = { docx: { name: '@millrace/docx', peerDependencies: { one: '1.0.0' } } };
  const forWindows = { 'node_modules/two': { ...one, optional: true } };
  expect(isThere({ ...asInstalled, ...other })).toBe(true);
  expect(isThere({ ...asInstalled, ...workspace, ...forWindows })).toBe(true);
});

test.each<[string, object]>([
  ['another version', { ...asInstalled, 'node_modules/one': { ...one, version: '1.0.1' } }],
  ['other content', { ...asInstalled, 'node_modules/one': { ...one, integrity: 'sha512-x' } }],
  ['one more', { ...asInstalled, 'node_modules/two': one }],
  ['one less', { 'node_modules/one': one }],
  [
    'another folder',
    { ...asInstalled, 'node_modules/@millrace/docx': { ...linked, resolved: 'x' } },
  ],
])('a lock file that asks for %s installs', (_, wanted) => {
  expect(isThere(wanted)).toBe(false);
});

test('packages that somebody removed, and a folder without any, are installed', () => {
  expect(isThere(asInstalled, ['@millrace/docx'])).toBe(false);
  expect(hasSamePackages(work)).toBe(false);
});

/** Whether the packages are there, in a folder where `asInstalled` was installed. */
function isThere(wanted: object, folders = ['one', '@millrace/docx']): boolean {
  const folder = mkdtempSync(join(work, 'project-'));
  const write = (path: string, content: object) =>
    writeFileSync(join(folder, path), JSON.stringify(content));
  for (const name of folders) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    write(`node_modules/${name}/package.json`, {});
  }
  write('package-lock.json', { packages: { '': {}, ...wanted } });
  write('node_modules/.package-lock.json', { packages: { ...workspace, ...asInstalled } });
  return hasSamePackages(folder);
}
