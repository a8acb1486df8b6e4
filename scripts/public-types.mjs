// node scripts/public-types.mjs [--write]: whether the types that @millrace/engine offers are those of
// engine/public-types.md; with --write, the page is written.
//
// People's job files stand on these types. A change of them must be meant, so it shows in the diff of that page, where
// comments, and the file in which a type stands, do not.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const page = join(root, 'engine/public-types.md');
const COMMAND = 'node scripts/public-types.mjs';

/**
 * A module as the compiler declares it. TypeScript 7 has no interface for programs; its declaration files begin each
 * statement in the first column, and that is enough.
 * @typedef {{ declared: Map<string, string[]>, imported: Map<string, string>, statements: string[] }} Module
 */

export function publicTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-types-'));
  try {
    const options = ['--emitDeclarationOnly', '--removeComments', '--declarationMap', 'false'];
    const info = ['--tsBuildInfoFile', join(folder, '.tsbuildinfo')];
    const args = ['-p', join(root, 'engine'), '--outDir', folder, ...options, ...info];
    execFileSync(join(root, 'node_modules/.bin/tsc'), args);
    return pageOf(reachable(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const storedTypes = () => readFileSync(page, 'utf8');

export const CHANGED = `The types that @millrace/engine offers have changed. If that is meant, write them down with \`${COMMAND} --write\`, commit engine/public-types.md, and say in CHANGELOG.md what people have to change in their job files.`;

/** @param {{ offered: string[], beneath: string[] }} declarations */
function pageOf({ offered, beneath }) {
  const block = (/** @type {string[]} */ texts) => `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`;
  return `# The types of @millrace/engine

Written by \`${COMMAND} --write\`, and checked by \`npm test\`.

## Offered

${block(offered)}
## What those are made of

${block(beneath)}`;
}

/**
 * What index.d.ts offers, and what that is made of.
 * @param {string} folder
 */
function reachable(folder) {
  /** @type {Map<string, Module>} */
  const modules = new Map();
  const moduleOf = (/** @type {string} */ name) => {
    const module = modules.get(name) ?? readModule(join(folder, name));
    modules.set(name, module);
    return module;
  };
  /** @type {Map<string, string[]>} by name and module, so that each is there once */
  const found = new Map();
  const add = (/** @type {string} */ file, /** @type {string} */ name) => {
    const { declared, imported } = moduleOf(file);
    const from = imported.get(name);
    if (from !== undefined) return add(from, name);
    const texts = declared.get(name);
    if (texts === undefined || found.has(`${name} ${file}`)) return;
    found.set(`${name} ${file}`, texts);
    for (const [word] of texts.join('\n').matchAll(/[A-Za-z_$][\w$]*/g)) add(file, word);
  };
  const offered = exportsOf(moduleOf('index.d.ts'), moduleOf);
  for (const [file, name] of offered) add(file, name);
  const texts = (/** @type {boolean} */ isOffered) =>
    [...found]
      .filter(([key]) => offered.some(([file, name]) => key === `${name} ${file}`) === isOffered)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, statements]) => statements);
  return { offered: texts(true), beneath: texts(false) };
}

/**
 * @param {Module} index
 * @param {(file: string) => Module} moduleOf
 * @returns {[file: string, name: string][]}
 */
function exportsOf(index, moduleOf) {
  return index.statements.flatMap((statement) => {
    const [, names, from = ''] = /^export (?:type )?(\*|\{.*\}) from '\.\/(.+)\.ts';$/s.exec(
      statement,
    ) ?? ['', ''];
    if (names === '') throw new Error(`engine/src/index.ts has more than exports: ${statement}`);
    const file = `${from}.d.ts`;
    const all = [...moduleOf(file).declared]
      .filter(([, texts]) => texts[0]?.startsWith('export'))
      .map(([name]) => name);
    return (names === '*' ? all : namesIn(names)).map((name) => [file, name]);
  });
}

/** @param {string} path @returns {Module} */
function readModule(path) {
  const statements = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/\n(?=\w)/);
  /** @type {Module} */
  const module = { declared: new Map(), imported: new Map(), statements };
  for (const statement of statements) {
    const [, names, from] =
      /^import (?:type )?(\{.*\}) from '\.\/(.+)\.ts';$/s.exec(statement) ?? [];
    for (const name of namesIn(names ?? '')) module.imported.set(name, `${from}.d.ts`);
    const [, name] =
      /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|const|function|class|let) ([\w$]+)/.exec(
        statement,
      ) ?? [];
    if (name !== undefined) {
      const texts = module.declared.get(name) ?? [];
      module.declared.set(name, [...texts, statement]);
    }
  }
  return module;
}

/** @param {string} list `{ a, type B }` */
function namesIn(list) {
  return [...list.matchAll(/(?:type )?([\w$]+)\s*(?=[,}])/g)].flatMap(([, name]) => name ?? []);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--write')) writeFileSync(page, publicTypes());
  else if (storedTypes() !== publicTypes()) {
    process.stderr.write(`${CHANGED}\n`);
    process.exitCode = 1;
  }
}
