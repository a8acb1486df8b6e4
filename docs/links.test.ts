import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf } from './test/markdown.ts';
import { filesOf, root, textOf } from './test/tree.ts';

// Whatever a page names is there: files, sections of pages, and the paths in `code` (but for jobs/, where readers put
// their own). A file that was moved is looked for by its name, so that the failure says where the link should lead.

const pages = filesOf(/\.md$/).filter((file) => file !== 'CHANGELOG.md');
const all = filesOf(/./);
const folders = new Set(
  all.map((file) => file.split('/')[0] ?? '').filter((name) => name !== 'jobs'),
);

describe.each(pages)('%s', (page) => {
  const text = textOf(page).replaceAll(/^( *)```.*?^\1```$/gms, '');

  it('links to what is there', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    expect(links.flatMap((link) => faultOf(page, link))).toEqual([]);
  });

  it('names paths that are there', () => {
    const paths = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);
    const ours = paths.filter(
      (path) => folders.has(path.split('/')[0] ?? '') && /\.\w+$/.test(path),
    );
    expect(ours.filter((path) => !isThere(page, path)).map(movedTo)).toEqual([]);
  });
});

function faultOf(page: string, link: string): string[] {
  if (/^[a-z]+:/.test(link)) return [];
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return [movedTo(target)];
  if (anchor === undefined || !target.endsWith('.md')) return [];
  return anchorsOf(textOf(target)).includes(anchor) ? [] : [`${target} has no section #${anchor}`];
}

/** From the root, as most say it, or from the page's own folder. */
function isThere(page: string, path: string): boolean {
  return [path, join(dirname(page), path)].some((each) => existsSync(join(root, each)));
}

function movedTo(path: string): string {
  const places = all.filter((file) => basename(file) === basename(path)).slice(0, 4);
  return places.length === 0 ? `${path} is gone` : `${path} is gone; there is ${places.join(', ')}`;
}
