import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { need } from '../../scripts/need.mjs';
import { bareDatabase } from '../../stores/postgres/test/databases.ts';
import { type Project, startProject } from './code.ts';
import { root } from './tree.ts';

await need('peers');

/** A guide for people who come from another queue: its programs, and a Postgres for both sides. */
export interface Guide {
  readonly project: Project;
  readonly url: string;
  /** Without the tables of Millrace, as on the first day. */
  reset(): Promise<void>;
  remove(): Promise<void>;
}

const PACKAGES = ['millrace', '@millrace/engine', '@millrace/store-postgres', 'zod', 'pg'];

export async function startGuide(page: string, peers: readonly string[]): Promise<Guide> {
  const database = await bareDatabase();
  const project = await startProject(page, [...PACKAGES, ...peers]);
  return {
    project,
    url: database.url,
    async reset() {
      await query(database.url, 'DROP SCHEMA IF EXISTS millrace CASCADE');
    },
    async remove() {
      await project.remove();
      await database.drop();
    },
  };
}

/** What became of a job that was moved, as Millrace has it. */
export interface Moved {
  readonly order: number;
  readonly priority: number | null;
  readonly correlationId: string | null;
  /** Whole minutes from now on. */
  readonly dueInMinutes: number;
}

export async function query<Row extends object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** What waits in Millrace, in the order in which it was enqueued. */
export function waiting(url: string): Promise<Moved[]> {
  return query(
    url,
    `SELECT (payload->>'order')::int AS order, priority, correlation_id AS "correlationId",
            greatest(0, round(extract(epoch FROM run_at - now()) / 60))::int AS "dueInMinutes"
       FROM millrace.jobs WHERE state = 'QUEUED' ORDER BY seq`,
  );
}

/** A package of `bench/`. */
export async function peer<Module>(name: string, entry: string): Promise<Module> {
  const file = join(root, 'lab/bench/node_modules', name, entry);
  return (await import(pathToFileURL(file).href)) as Module;
}
