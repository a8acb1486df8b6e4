import { type Claimed, StoreStopped } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, fdatasyncSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { need } from '../../../../scripts/need.mjs';
import { openPgliteStore } from '../index.ts';
import { createDatabase } from './new-database.ts';
import { openFolder } from './pglite-folder.ts';
import type { PostgresStore } from '../store.ts';
import { inFast, inLong } from '../../../../scripts/suite.ts';

// A new database is a copy of one that was built.
await need('build');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-embedded-'));
});
afterEach(() => rm(folder, { recursive: true }));

const KIND = newJob().kind;

function claim(store: PostgresStore, limit: number, kind = KIND, alone = false): Promise<Claimed> {
  return store.claim({
    worker: 'w',
    claim: 1,
    wants: [{ kind, limit }],
    limit,
    leaseMs: 60_000,
    alone,
  });
}

describe('a process that is killed', () => {
  type Answered = { readonly added: string[]; readonly leased: string[] };

  /** Answers of the database to a process that is then killed in the middle of its work. */
  async function killedAfter(rounds: number): Promise<Answered[]> {
    const program = join(import.meta.dirname, '../../test/embedded-process.mjs');
    const child: ChildProcess = fork(program, [folder], { execArgv: [] });
    const answered: Answered[] = [];
    child.on('message', (message) => {
      answered.push(message as Answered);
      if (answered.length === rounds) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    return answered;
  }

  inFast('loses nothing that was answered, and its leases are over at the next start', async () => {
    const answered = await killedAfter(50);
    const added = answered.flatMap((each) => each.added);
    const leased = answered.flatMap((each) => each.leased);
    expect(leased.length).toBeGreaterThanOrEqual(50);
    const store = await openPgliteStore({ source: { folder } });
    const known = await store.summaries({ ids: added });
    expect(known.map(({ id }) => id).toSorted()).toEqual(added.toSorted());
    const { jobs, takenOver } = await claim(store, 10_000, 'work');
    // One more when it was killed between the claim and its word of it.
    expect([leased.length, leased.length + 1]).toContain(takenOver);
    const left = added.filter((id) => !leased.includes(id)).slice(0, -1);
    expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(left));
    const [first] = (await claim(store, 1, 'work', true)).jobs;
    expect(leased).toContain(first?.id);
    await store.close();
  });
});

describe('what is answered is on the disk', () => {
  /** The names of the files that were synced, in order. */
  const synced: string[] = [];
  const sync = (file: number): void => {
    if (process.platform === 'linux') synced.push(readlinkSync(`/proc/self/fd/${file}`));
    else synced.push('pg_wal');
    fdatasyncSync(file);
  };
  const logOf = (names: readonly string[]): string[] =>
    names.filter((name) => name.includes('pg_wal'));

  inFast(
    'each commit syncs the log, reading syncs nothing, a checkpoint syncs the tables',
    async () => {
      const pglite = await openFolder(join(folder, 'pg'), { isDurable: true, sync });
      await pglite.exec('CREATE TABLE t (n int)');
      synced.length = 0;
      await pglite.exec('INSERT INTO t VALUES (1)');
      expect(logOf(synced)).toHaveLength(1);
      await pglite.query('SELECT * FROM t');
      expect(synced).toHaveLength(1);
      await pglite.exec('CHECKPOINT');
      expect(synced.length).toBeGreaterThan(logOf(synced).length);
      await pglite.close();
    },
  );

  inFast('a disk that fails is no commit', async () => {
    let isBroken = false;
    const pglite = await openFolder(join(folder, 'pg'), {
      isDurable: true,
      sync(file) {
        if (isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' });
        fdatasyncSync(file);
      },
    });
    await pglite.exec('CREATE TABLE t (n int)');
    isBroken = true;
    await expect(pglite.exec('INSERT INTO t VALUES (1)')).rejects.toThrow('has stopped');
    // Also when the disk works again: what the log has of it nobody knows.
    isBroken = false;
    await expect(pglite.query('SELECT 1')).rejects.toThrow('has stopped');
    await pglite.close();
    const again = await openFolder(join(folder, 'pg'), { isDurable: true });
    await again.query('SELECT * FROM t');
    await again.close();
  });

  inLong('a disk that fails ends the store, which says so', async () => {
    let isBroken = false;
    const pglite = await openFolder(join(folder, 'pg'), {
      isDurable: true,
      sync(file) {
        if (isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' });
        fdatasyncSync(file);
      },
    });
    const store = await openPgliteStore({ source: { pglite } });
    expect(store.database.stopped()).toBeNull();
    isBroken = true;
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toBeInstanceOf(StoreStopped);
    expect(store.database.stopped()).toContain('restart this process');
    await store.close();
    await pglite.close();
  });

  inLong('a start that fails on a full disk says so', async () => {
    await createDatabase(join(folder, 'pg'));
    await rm(join(folder, 'pg', 'global'), { recursive: true });
    const open = (free: number) =>
      openFolder(join(folder, 'pg'), { isDurable: true, free: () => free });
    await expect(open(3_000_000)).rejects.toThrow(/^Its disk is full, or nearly: 3 MB are free/);
    await expect(open(100_000_000)).rejects.not.toThrow('full');
  });

  inLong(
    'a new database too, before it has its name: one that is half there is never opened',
    async () => {
      const unfinished = join(folder, 'pg.new');
      await mkdir(unfinished);
      await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
      synced.length = 0;
      const pglite = await openFolder(join(folder, 'pg'), { isDurable: true, sync });
      await pglite.query('SELECT 1');
      await pglite.close();
      expect(existsSync(unfinished)).toBe(false);
      if (process.platform !== 'linux') return;
      const created = synced.slice(0, synced.indexOf(folder));
      expect(created).toContain(join(unfinished, 'global/pg_control'));
      expect(created.at(-1)).toBe(unfinished);
    },
  );

  inLong('unless it is not asked for', async () => {
    synced.length = 0;
    const pglite = await openFolder(join(folder, 'pg'), { isDurable: false, sync });
    await pglite.exec('CREATE TABLE t (n int)');
    await pglite.close();
    expect(synced).toEqual([]);
  });
});
