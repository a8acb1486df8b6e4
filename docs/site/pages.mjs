// Which Markdown files are pages of the site, where each is, and how they are listed. A new file in docs/ is a page by
// itself; to give it a place in a group, name it below.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Pages of the root: what strangers read first, beside docs/. */
const ROOT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** The site itself, and the helpers of the tests. */
const NO_PAGES = new Set(['docs/site', 'docs/test']);

/** @type {[group: string, pages: string[]][]} */
const GROUPS = [
  ['Start', ['index', 'first-job', 'documents', 'queries', 'reports', 'pipelines']],
  ['Build', ['embedding', 'testing', 'api', 'agents', 'live-events', 'webhooks', 'errors']],
  ['Coming from', ['from-bullmq', 'from-pg-boss', 'from-graphile-worker', 'from-your-own-poller']],
  ['Use', ['console', 'cli', 'templates']],
  ['Connect', ['salesforce', 'salesforce-idempotency', 'salesforce-linking', 'redis']],
  [
    'Run',
    [
      'configuration',
      'identity',
      'operations/index',
      'operations/upgrade',
      'operations/runbook',
      'metrics',
      'platforms',
    ],
  ],
  ['Understand', ['guarantees', 'architecture', 'glossary', 'decisions/index']],
];
const LAST_GROUPS = ['More', 'Project', 'Decisions'];

/**
 * The pages: from the path in the repository to the one in the site, both with their ending. A README is the index of
 * its folder.
 *
 * @returns {Map<string, string>}
 */
export function pagesOf() {
  return new Map([...ROOT_PAGES, ...pagesIn('docs')].map((path) => [path, placeOf(path)]));
}

/** @param {string} folder @returns {string[]} */
function pagesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return NO_PAGES.has(path) ? [] : pagesIn(path);
      return path.endsWith('.md') ? [path] : [];
    })
    .toSorted();
}

/** @param {string} path */
function placeOf(path) {
  const place = path.startsWith('docs/') ? path.slice('docs/'.length) : path;
  if (place.endsWith('README.md')) return place.replace(/README\.md$/, 'index.md');
  return path === place ? place.toLowerCase() : place;
}

/** What VitePress leaves out: all but the pages. It looks for Markdown in the whole repository otherwise. */
export function leftOut() {
  const pages = pagesOf();
  const others = readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => name !== 'docs' && !pages.has(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));
  return [...others, ...[...NO_PAGES].map((folder) => `${folder}/**`)];
}

/** The list beside each page. A page that no group names is under More. */
export function sidebar() {
  const left = new Map(
    [...pagesOf()].map(([path, place]) => [place.replace(/\.md$/, ''), titleOf(path)]),
  );
  /** @param {string} page */
  const take = (page) => {
    const text = left.get(page);
    left.delete(page);
    return text === undefined ? [] : [{ text, link: `/${page.replace(/(^|\/)index$/, '$1')}` }];
  };
  const named = GROUPS.map(([text, pages]) => ({ text, items: pages.flatMap(take) }));
  const decisions = [...left.keys()].filter((page) => page.startsWith('decisions/'));
  const project = [...left.keys()].filter((page) =>
    ROOT_PAGES.includes(`${page.toUpperCase()}.md`),
  );
  const rest = [...left.keys()].filter((page) => ![...decisions, ...project].includes(page));
  const [more = '', ofProject = '', ofDecisions = ''] = LAST_GROUPS;
  return [
    ...named,
    { text: more, items: rest.flatMap(take) },
    { text: ofProject, items: project.flatMap(take) },
    { text: ofDecisions, collapsed: true, items: decisions.flatMap(take) },
  ].filter(({ items }) => items.length > 0);
}

/** @param {string} path */
function titleOf(path) {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}
