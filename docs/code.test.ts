import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { need } from '../scripts/need.mjs';
import { type Project, startFragments, startProject, typeErrors } from './test/code.ts';
import { filesOf, root, textOf } from './test/tree.ts';

/** Programs on all pages and READMEs are typed as a reader's compiler sees them, all of them in one run of it. */

await need('peers');

const PACKAGES = [
  'millrace',
  '@millrace/engine',
  '@millrace/store-postgres',
  '@millrace/testkit',
  'zod',
  'pg',
  'bullmq',
  'pg-boss',
  'graphile-worker',
];

/** Of the workspace, as its own pages import them. */
const OWN = readdirSync(join(root, 'node_modules/@millrace')).map((name) => `@millrace/${name}`);

const pages = filesOf(/\.md$/, 'docs').filter((page) => /^ *```ts file=/m.test(textOf(page)));
const projects: Pick<Project, 'folder' | 'files' | 'remove'>[] = [];
beforeAll(async () => {
  const starting = [
    ...pages.map((page) => startProject(page, PACKAGES)),
    startFragments([...new Set([...PACKAGES, ...OWN, '@types/node', '@types/pg'])]),
  ];
  // Where one cannot be started, the others still have a folder to remove.
  for (const started of await Promise.allSettled(starting))
    if (started.status === 'fulfilled') projects.push(started.value);
  await Promise.all(starting);
}, 120_000);
afterAll(() => Promise.all(projects.map((project) => project.remove())));

it('the code of the pages is typed', async () => {
  expect(pages).toEqual(expect.arrayContaining(['docs/testing.md', 'docs/from-bullmq.md']));
  expect(await typeErrors(projects)).toBe('');
});
