import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@millrace/api';
import { describe, expect, test } from 'vitest';
import { commands } from '../cli/src/main.ts';
import { parseFor } from '../cli/src/line/arguments.ts';
import { environment } from '../server/src/config/environment.ts';
import { blocksOf } from './test/markdown.ts';
import { filesOf, root, textOf } from './test/tree.ts';

/**
 * Commands on all pages are commands: bash reads them, `millrace` has them with these options, npm has these scripts, the server these
 * routes and settings. Those of the tutorials, the runbook, the upgrade and the guide of Salesforce are run besides, by long tests.
 */

const blocks = filesOf(/\.md$/).flatMap((page) =>
  blocksOf(textOf(page))
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => ({ page, text })),
);
const pages = [...new Set(blocks.map(({ page }) => page))].map((page) => ({
  page,
  text: blocks.flatMap((block) => (block.page === page ? block.text : [])).join('\n'),
}));

/** Comments may say anything. */
const withoutComments = (text: string): string => text.replaceAll(/(^|[ \t])#.*$/gm, '$1');

/** The words of each command, as a shell separates them; what stands in double quotes is one word. */
function commandsOf(text: string): string[][] {
  const found: string[][] = [[]];
  let word: string | null = null;
  let quote = '';
  const endWord = (): void => {
    if (word !== null) found.at(-1)?.push(word);
    word = null;
  };
  for (const sign of withoutComments(text.replaceAll('\\\n', ' '))) {
    if (quote !== '') {
      if (sign === quote) quote = '';
      else word = (word ?? '') + sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= '';
    } else if (sign === ' ' || sign === '\t') endWord();
    else if ('\n|&;<>()'.includes(sign)) {
      // The number of a stream is no word.
      if ('<>'.includes(sign) && /^\d$/.test(word ?? '')) word = null;
      endWord();
      found.push([]);
    } else word = (word ?? '') + sign;
  }
  endWord();
  return found;
}

function commandsIn(text: string): string[][] {
  return commandsOf(text).flatMap((words) => {
    const at = words.indexOf('millrace');
    return at === -1 ? [] : [words.slice(at + 1)];
  });
}

describe.each(pages)('the commands of $page', ({ text }) => {
  test('are read by bash', () => {
    execFileSync('bash', ['--norc', '-n'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
  });

  test('of millrace are there, with their options', () => {
    for (const [name = 'start', ...rest] of commandsIn(text)) {
      const command = commands.find((each) => each.name === name);
      expect(command, name).toBeDefined();
      expect(
        () => parseFor(command ?? null, rest),
        `millrace ${name} ${rest.join(' ')}`,
      ).not.toThrow();
    }
  });

  test('ask for routes that there are', () => {
    const known = Object.values(contracts).map(
      ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', '\\.')}$`),
    );
    const asked = [
      ...withoutComments(text).matchAll(
        /(?:localhost:\d+|\$MILLRACE_URL|https:\/\/millrace\.example\.com)(\/[^\s'"?)]*)/g,
      ),
    ].map(([, path = '']) => path.replaceAll(/\$\{?\w+\}?/g, 'x'));
    // What is served beside the routes: the console, and metrics.
    const beside = /^\/(console(\/.*)?|metrics|docs\/.*|)$/;
    expect(
      asked.filter((path) => !beside.test(path) && !known.some((route) => route.test(path))),
    ).toEqual([]);
  });

  test('of npm are scripts of their package', () => {
    const folder = /^(salesforce-package)\//.exec(text)?.[1] ?? '.';
    const scripts = [folder, 'salesforce-package', 'docs/site'].flatMap((each) =>
      Object.keys(
        (JSON.parse(readFileSync(join(root, each, 'package.json'), 'utf8')) as { scripts: object })
          .scripts ?? {},
      ),
    );
    const named = [...withoutComments(text).matchAll(/npm (?:--prefix \S+ )?run ([\w:]+)/g)];
    expect(named.map(([, name]) => name).filter((name = '') => !scripts.includes(name))).toEqual(
      [],
    );
  });
});

test('settings that a page exports are settings', () => {
  const own = [...Object.keys(environment.shape), 'MILLRACE_URL', 'MILLRACE_TOKEN'];
  const ours =
    /^(MILLRACE|DATABASE|REDIS|REPORTS|DOCUMENTS|SALESFORCE|POLLER|MCE|SHELL_QUERY|CONVERSION)_/;
  const set = blocks.flatMap(({ page, text }) =>
    [...withoutComments(text).matchAll(/^(?:export )?([A-Z][A-Z_0-9]+)=/gm)].map(
      ([, name = '']) => `${page}: ${name}`,
    ),
  );
  const unknown = set.filter((entry) => {
    const name = entry.split(': ')[1] ?? '';
    return ours.test(name) && !own.includes(name) && !name.startsWith('MILLRACE_TEST_');
  });
  expect(unknown).toEqual([]);
});
