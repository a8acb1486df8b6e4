import { setImmediate as immediate } from 'node:timers/promises';
import { type CallCounter, createCalls } from './calls.ts';
import { type Clock, createClock, seededRandom } from '@millrace/simulator-kit';
import { createDatabase, type Database, type Row, type Values } from './data/database.ts';
import { type Behaviour, createDml, type Dml, storageFull } from './data/dml.ts';
import { contentDocumentLink, contentVersion, person } from './data/files.ts';
import { createLocks, type Locks, unableToLock } from './data/locks.ts';
import { createSerials, type Serials } from './data/serials.ts';
import { openTransaction, type Trigger, type View, type Work } from './data/transaction.ts';
import { ApiError } from './errors.ts';
import { createFaults, type FaultBoard, type Strikes } from './faults.ts';
import { prefixOf } from './ids.ts';
import type { Settings } from './options.ts';
import { createSchema, prefixed, type Schema } from './schema/schema.ts';
import type { SObject } from './schema/sobject.ts';
import type { Scope } from './soql/paths.ts';

/** The caller, and which faults meet them. */
export interface Caller {
  readonly userId: string;
  readonly strikes: Strikes;
}

export interface PublishedEvent {
  readonly type: string;
  readonly at: number;
  readonly values: Values;
}

type Subscriber = (event: PublishedEvent, row: Row) => void;

export interface Org {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly schema: Schema;
  readonly database: Database;
  readonly locks: Locks;
  readonly serials: Serials;
  readonly dml: Dml;
  readonly faults: FaultBoard;
  readonly counter: CallCounter;
  readonly events: readonly PublishedEvent[];
  /** Known once the server listens. */
  readonly home: { origin: string; organizationId: string };
  /** Where a session can ask who it is. */
  identityUrl(userId: string): string;
  /** A name of the package, with the namespace that the package was installed under. */
  name(name: string): string;
  /** Runs in a transaction of its own: commits at the end, or rolls back what was thrown at. */
  transact<T>(caller: Caller, run: (work: Work) => Promise<T>, writer?: Work['writer']): Promise<T>;
  /** The same without a wait: throws `Blocked` where somebody else has a lock. */
  transactAtOnce<T>(caller: Caller, run: (work: Work) => T): T;
  /** Changes that come in between before Apex has its next lock, each once. */
  readonly asides: (() => void)[];
  scope(view: View, source: string, version: string, withDeleted?: boolean): Scope;
  /** Called with the records of each commit. */
  onCommit(call: (rows: readonly Row[]) => void): void;
  /** Called with each event that was published. */
  onPublish(call: Subscriber): void;
}

export const NO_FAULTS: Strikes = { strikes: () => null, held: async () => {} };

/** Null: no Apex is installed. */
type TriggerOf = (org: Org) => Trigger | null;

export function createOrg(settings: Settings, triggerOf: TriggerOf): Org {
  const clock = createClock(settings.now);
  const schema = createSchema(settings.objects, settings.namespace);
  const database = createDatabase(schema);
  const locks = createLocks(clock, settings.lockWaitMs);
  const serials = createSerials();
  const events: PublishedEvent[] = [];
  const listeners: ((rows: readonly Row[]) => void)[] = [];
  const subscribers: Subscriber[] = [];
  const publications = createPublications(clock, settings.dailyContentVersions);
  const files = { schema, database, storageBytes: settings.storageBytes, publish: publications };
  const dml = createDml({
    schema,
    clock,
    serials,
    trigger: (...change) => trigger?.(...change) ?? {},
    behaviour: (object, self) => behaviourOf(object, () => contentVersion(files, self)),
    publish(object, row) {
      const event = { type: object.name, at: clock.now(), values: ownValues(object, row) };
      events.push(event);
      for (const call of subscribers) call(event, row);
    },
  });

  function begin({ userId, strikes }: Caller, writer: Work['writer']) {
    const tx = openTransaction(database, locks, (name) => {
      if (isRow(name) && strikes.strikes('lock', targetOf(schema, name)) !== null) {
        throw unableToLock();
      }
    });
    const work: Work = {
      tx,
      userId,
      writer,
      refusalOf: (object) => refusalOf(strikes, object),
    };
    return { tx, work };
  }

  const org: Org = {
    settings,
    clock,
    schema,
    database,
    locks,
    serials,
    dml,
    faults: createFaults(seededRandom(settings.seed)),
    counter: createCalls(clock, settings.dailyApiRequests),
    events,
    home: { origin: '', organizationId: '' },
    identityUrl: (userId) => `${org.home.origin}/id/${org.home.organizationId}/${userId}`,
    name: (name) => prefixed(name, settings.namespace),
    asides: [],
    transactAtOnce(caller, run) {
      const { tx, work } = begin(caller, 'client');
      try {
        const result = run(work);
        const rows = [...tx.written];
        tx.commit();
        for (const listener of listeners) listener(rows);
        return result;
      } catch (thrown) {
        tx.rollback();
        throw thrown;
      }
    },
    async transact(caller, run, writer = 'client') {
      const { tx, work } = begin(caller, writer);
      try {
        const result = await run(work);
        const rows = [...tx.written];
        // Others get their turn while the locks are held, as they would on a real server.
        if (rows.length > 0) await immediate();
        await caller.strikes.held('hold');
        tx.commit();
        for (const listener of listeners) listener(rows);
        return result;
      } catch (thrown) {
        tx.rollback();
        throw thrown;
      }
    },
    scope: (view, source, version, withDeleted = false) => ({
      schema,
      view,
      source,
      version,
      withDeleted,
      now: clock.now(),
    }),
    onCommit: (call) => void listeners.push(call),
    onPublish: (call) => void subscribers.push(call),
  };
  const trigger = triggerOf(org);
  return org;
}

/** Locks of rows are named by their ids; those of unique values are not. */
function isRow(name: string): boolean {
  return !name.includes('=');
}

function targetOf(schema: Schema, id: string): { record: string; object: string } {
  return { record: id, object: schema.byPrefix(prefixOf(id))?.name ?? '' };
}

function behaviourOf({ name, fields }: SObject, files: () => Behaviour): Behaviour {
  if (name === 'ContentVersion') return files();
  if (name === 'ContentDocumentLink') return contentDocumentLink;
  return fields.has('lastname') ? person : {};
}

function ownValues(object: SObject, row: Row): Values {
  const own = [...object.fields.values()].filter(({ custom }) => custom);
  return Object.fromEntries(own.map(({ name }) => [name, row[name] ?? null]));
}

function refusalOf(strikes: Strikes, object: string): ApiError | null {
  if (strikes.strikes('storage', { object }) !== null) return storageFull();
  const fault = strikes.strikes('refused', { object });
  if (fault === null) return null;
  return new ApiError(fault.code ?? 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', fault.message ?? '', {
    fields: [],
  });
}

const DAY = 86_400_000;

/** New versions of files are limited by the day, whether they are committed or not. */
function createPublications(clock: Clock, most: number): () => void {
  const moments: number[] = [];
  return () => {
    const since = clock.now() - DAY;
    while (moments[0] !== undefined && moments[0] <= since) moments.shift();
    if (moments.length >= most) {
      throw new ApiError('LIMIT_EXCEEDED', 'ContentPublication Limit exceeded.', { fields: [] });
    }
    moments.push(clock.now());
  };
}
