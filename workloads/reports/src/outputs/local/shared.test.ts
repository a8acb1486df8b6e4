import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SHIFTS, type ServiceWorld, callOf, callerOf, openService } from '../../../test/service.ts';
import { contract } from '../../contract/index.ts';
import { ensureFolderId, readFolderId } from './shared.ts';

const { routes } = contract;
const ADMIN = callerOf('root', { roles: ['admin'] });
const LOG = { info: () => {}, warn: () => {}, error: () => {} };

let folders: string;
let world: ServiceWorld;
const at = (name: string) => ({ REPORTS_OUTPUT_FOLDER: join(folders, name) });
beforeEach(async () => {
  folders = await mkdtemp(join(tmpdir(), 'millrace-folders-'));
  world = await openService({ 'shifts.yaml': SHIFTS }, at('one'));
  await world.sql(
    `CREATE TABLE shifts (id int PRIMARY KEY, county int NOT NULL, day date NOT NULL, hours numeric)`,
  );
});
afterEach(async () => {
  await world.close();
  await rm(folders, { recursive: true });
});

async function runOnFirst(): Promise<string> {
  const { body } = await world
    .routes()
    .startReport(
      callOf(routes.startReport, { caller: ADMIN, params: { name: 'shifts' }, body: { wait: 60 } }),
    );
  expect(body.state).toBe('SUCCEEDED');
  return body.id;
}

async function isAvailable(server: Pick<ServiceWorld, 'routes'>, id: string) {
  const call = callOf(routes.getReportRun, { caller: ADMIN, params: { id } });
  return (await server.routes().getReportRun(call)).body.result?.available;
}

test('a server with a folder of its own says so at the start, in its health, and of each file', async () => {
  const id = await runOnFirst();
  const other = await world.replica(at('two'));
  try {
    expect(world.warnings).toEqual([expect.stringMatching(/neither can give out the files/)]);
    expect(await other.reports.folders?.check.run(LOG)).toMatchObject({ status: 'degraded' });
    expect([await isAvailable(world, id), await isAvailable(other, id)]).toEqual([true, false]);
    // The first one hears of it with its next look.
    expect(await world.reports.folders?.check.run(LOG)).toEqual({ status: 'ok' });
    await world.reports.folders?.runOnce();
    expect(await world.reports.folders?.check.run(LOG)).toMatchObject({ status: 'degraded' });
  } finally {
    await other.close();
  }
});

test('servers that share a folder have nothing to say', async () => {
  const id = await runOnFirst();
  const other = await world.replica(at('one'));
  try {
    expect(world.warnings).toEqual([]);
    expect(await other.reports.folders?.check.run(LOG)).toEqual({ status: 'ok' });
    expect(await isAvailable(other, id)).toBe(true);
  } finally {
    await other.close();
  }
});

test('servers that start at the same time agree on the id of a folder', async () => {
  const folder = join(folders, 'new');
  expect(await readFolderId(folder)).toBeNull();
  const ids = await Promise.all([1, 2, 3, 4].map(() => ensureFolderId(folder)));
  expect(new Set(ids)).toEqual(new Set([await readFolderId(folder)]));
});
