// What has to be so before anything is released.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf, workspaces } from '../packages/list.mjs';
import { root } from '../setup.mjs';

/**
 * @typedef {object} State
 * @property {string} version of the root
 * @property {string[]} changed files that git does not have as they are
 * @property {string[]} tags of the commit
 * @property {string} changelog
 */

/**
 * Sentences, none where it may go out.
 *
 * @param {State} state
 */
export function refusals({ version, changed, tags, changelog }) {
  const tag = `v${version}`;
  return [
    ...(changed.length === 0
      ? []
      : [
          `The tree is not clean: commit or remove ${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ' …' : ''}.`,
        ]),
    ...(tags.includes(tag)
      ? []
      : [`This commit has no tag ${tag}: make it with "git tag ${tag}".`]),
    ...(changesOf(changelog, version) === null
      ? [
          `CHANGELOG.md has no section [${version}]: give what is under [Unreleased] that name and a date.`,
        ]
      : []),
  ];
}

/** What makes any tarball useless, also in a rehearsal. @param {string} version */
export function versionFaults(version) {
  const chart = readFileSync(join(root, CHART), 'utf8');
  const isOther = [...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].some(
    ([, each]) => each !== version,
  );
  return [
    ...faultsOf(workspaces(), version),
    ...(isOther ? [`${CHART} has another version or appVersion than ${version}.`] : []),
  ];
}

/** What is in the folder goes: it has to be nothing, or a release. Null where it may. @param {string} folder */
export function folderFault(folder) {
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder);
  if (names.length === 0 || (names.includes('SHA256SUMS') && names.includes('CHANGES.md')))
    return null;
  return `${folder} has something in it that is no release, and it would be removed. Name an empty folder, or a new one.`;
}

const CHART = 'docs/operations/helm/millrace/Chart.yaml';

/**
 * The section of a version, without its heading; null where there is none, or nothing in it.
 *
 * @param {string} changelog @param {string} version or Unreleased
 */
export function changesOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const found = sections.find((section) => section.startsWith(`[${version}]`));
  const text = found?.slice(found.indexOf('\n') + 1).trim() ?? '';
  return text === '' ? null : text;
}
