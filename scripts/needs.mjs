// Everything that tests can ask for with `need` (need.mjs), and who provides it: a set-up of Vitest's
// main process, which lives as long as the run.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { debianPackages, fontPackages, startPostgres } from './services.mjs';
import { ensureBuild, ensureConsole, ensureModules, ensurePackages, root } from './setup.mjs';
import { ensureSite } from './site.mjs';

/** @typedef {keyof typeof needs} Need */

/** Packages with a lock file of their own, since a start does without them. */
export const folders = {
  /** The other queues: the guides for people who come from one of them are tried on both sides. */
  peers: join(root, 'lab/bench'),
  /** The tools of Apex and its components. */
  apex: join(root, 'salesforce-package'),
  /** 95 MB; the tests of queries run their SQL on it. */
  duckdb: join(root, 'lab/simulators/marketing-cloud/duckdb'),
  /** Microsoft's emulator of Azure Storage: 190 MB that the long suite alone runs on. */
  azurite: join(root, 'connectors', 'object-storage', 'azurite'),
  /** VitePress, for the documentation as a site. */
  vitepress: join(root, 'docs', 'site'),
  /** 76 MB that one test runs on. */
  prisma: join(root, 'millrace', 'test', 'prisma'),
};

const needs = {
  /** A server for all; a test that stops its server starts one of its own. */
  postgres: async () => {
    const { MILLRACE_TEST_DATABASE_URL } = process.env;
    if (MILLRACE_TEST_DATABASE_URL !== undefined) return MILLRACE_TEST_DATABASE_URL;
    await ensurePackages([debianPackages.postgres]);
    return keepUntilEnd(await startPostgres({ settings: { fsync: 'off' } }));
  },
  'postgres programs': () => ensurePackages([debianPackages.postgres]),
  'redis programs': () => ensurePackages([debianPackages.redis]),
  office: () => ensurePackages([debianPackages.office, ...fontPackages]),
  pdf: () => ensurePackages([debianPackages.pdf]),
  browser: () => ensurePackages([debianPackages.browser]),
  'object storage': () => ensurePackages([debianPackages.objectStorage]),
  promtool: () => ensurePackages([debianPackages.prometheus]),
  /** `dist/` of every package: what a process of its own runs. */
  build: () => ensureBuild(),
  /** The console as it is served. */
  console: () => ensureConsole(),
  /** The documentation as it is served. */
  site: () => ensureSite(),
  peers: () => ensureModules(folders.peers),
  apex: () => ensureModules(folders.apex),
  duckdb: () => ensureModules(folders.duckdb),
  azurite: () => ensureModules(folders.azurite),
  prisma: () => ensureModules(folders.prisma),
};

/** @type {(() => Promise<void>)[]} */
const removals = [];

/** @param {{ url: string, remove: () => Promise<void> }} server */
function keepUntilEnd({ url, remove }) {
  removals.push(remove);
  return url;
}

/** @type {Map<string, Promise<string | void>>} */
const provided = new Map();
let last = Promise.resolve(); // apt, npm and the compiler want to be alone

/** @param {Need} name */
function provide(name) {
  const answer = provided.get(name) ?? afterLast(needs[name]);
  provided.set(name, answer);
  return answer;
}

/** @param {() => Promise<string | void>} work */
function afterLast(work) {
  const answer = last.then(work);
  last = answer.then(
    () => {},
    () => {},
  );
  return answer;
}

/** Called by Vitest before the tests; what it returns is called after them. */
export async function setup() {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1));
    if (!Object.hasOwn(needs, name)) return void response.writeHead(404).end(`No need: ${name}`);
    provide(/** @type {Need} */ (name)).then(
      (answer) => response.end(answer ?? ''),
      (error) => response.writeHead(500).end(error instanceof Error ? error.message : `${error}`),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.env['MILLRACE_TEST_NEEDS'] = `http://127.0.0.1:${port}`; // the processes of tests inherit it

  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all(removals.map((remove) => remove()));
  };
}
