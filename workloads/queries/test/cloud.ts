import {
  type BusinessUnit,
  type CallReport,
  type Field,
  type MarketingCloud,
  MarketingCloudError,
  type TaskStatus,
} from '@millrace/marketing-cloud';

/** How a query goes, by the milliseconds since its start. */
export interface Behaviour {
  readonly queuedMs: number;
  readonly runMs: number;
  readonly rows: number;
  /** Rows can be read so long after the end. */
  readonly rowsAfterMs: number;
  readonly status?: (elapsed: number, usual: TaskStatus) => TaskStatus | null;
  readonly isRunning?: (elapsed: number, usual: boolean) => boolean;
}

export const USUAL: Behaviour = { queuedMs: 3_000, runMs: 20_000, rows: 5, rowsAfterMs: 0 };

interface Target {
  readonly name: string;
  readonly folderId?: string | undefined;
  readonly fields: readonly Field[];
}
interface Query {
  readonly objectId: string;
  readonly target: string;
  readonly sql: string;
  readonly folderId?: string | undefined;
  startedAt: number | null;
}

/** A Marketing Cloud in memory: what is asked of it, and what it has. */
export interface FakeCloud extends MarketingCloud {
  behaviour: Behaviour;
  readonly calls: string[];
  readonly targets: Map<string, Target>;
  readonly queries: Map<string, Query>;
  /** Called before and after each call has its effect; may throw. */
  hook: (operation: string, when: 'before' | 'after') => void | Promise<void>;
  readonly starts: string[];
  /** Data extensions that people have, by name. */
  readonly catalogue: Map<string, Field[]>;
}

export function refusal(
  kind: MarketingCloudError['kind'],
  outcome: MarketingCloudError['outcome'] = 'refused',
  retryAfterMs: number | null = null,
): MarketingCloudError {
  return new MarketingCloudError(`fake ${kind}`, {
    code: `fake_${kind}`,
    kind,
    outcome,
    retryAfterMs,
  });
}

export function createFakeCloud(
  now: () => number,
  onCall: (call: CallReport) => void,
  /** Around each call: it may never come, or never come back. */
  contact: <T>(effect: () => Promise<T>) => Promise<T>,
): FakeCloud {
  const targets = new Map<string, Target>();
  const queries = new Map<string, Query>();
  const tasks = new Map<string, { readonly key: string; readonly at: number }>();
  const catalogue = new Map<string, Field[]>();
  const calls: string[] = [];
  const starts: string[] = [];

  async function call<T>(operation: string, effect: () => T): Promise<T> {
    calls.push(operation);
    onCall({
      mid: '100001',
      operation,
      status: 200,
      errorCode: null,
      durationMs: 1,
      retried: 0,
      requests: 1,
      correlationId: 'c',
    });
    return contact(async () => {
      await cloud.hook(operation, 'before');
      const answer = effect();
      await cloud.hook(operation, 'after');
      return answer;
    });
  }

  const byId = (objectId: string): [string, Query] | undefined =>
    [...queries].find(([, query]) => query.objectId === objectId);

  function rowsOf(key: string): number {
    if (!targets.has(key)) throw refusal('notFound');
    const { queuedMs, runMs, rowsAfterMs, rows } = cloud.behaviour;
    const started = [...tasks.values()].some(
      (task) => task.key === key && now() - task.at >= queuedMs + runMs + rowsAfterMs,
    );
    return started ? rows : 0;
  }

  function statusOf(taskId: string): TaskStatus | null {
    const task = tasks.get(taskId);
    if (task === undefined) return null;
    const { queuedMs, runMs, status } = cloud.behaviour;
    const elapsed = now() - task.at;
    const isOver = elapsed >= queuedMs + runMs;
    const word = isOver ? 'Complete' : elapsed >= queuedMs ? 'Processing' : 'Queued';
    const usual: TaskStatus = {
      taskId,
      status: word,
      statusMessage: null,
      errorMsg: null,
      startDate: null,
      completedDate: isOver ? 'now' : null,
    };
    return status === undefined ? usual : status(elapsed, usual);
  }

  const unit = (mid: string): BusinessUnit => ({
    mid,
    validate: () => call('validate', () => ({ valid: true, errors: [], warnings: [] })),
    createDataExtension: ({ customerKey, name, fields, folderId }) =>
      call('createDataExtension', () => {
        if (targets.has(customerKey)) throw refusal('duplicate');
        targets.set(customerKey, { name, fields, folderId });
        return { objectId: `de-${customerKey}`, retention: true };
      }),
    createQuery: ({ customerKey, sql, target: { customerKey: target }, folderId }) =>
      call('createQuery', () => {
        if (queries.has(customerKey)) throw refusal('duplicate');
        const objectId = `q-${customerKey}`;
        queries.set(customerKey, { objectId, sql, target, folderId, startedAt: null });
        return { objectId };
      }),
    startQuery: (objectId) =>
      call('startQuery', () => {
        const [key, query] = byId(objectId) ?? [];
        if (key === undefined || query === undefined) throw refusal('notFound');
        query.startedAt = now();
        const taskId = `t-${tasks.size + 1}`;
        tasks.set(taskId, { key: query.target, at: now() });
        starts.push(key);
        return { taskId };
      }),
    taskStatuses: (ids) => call('taskStatuses', () => ids.flatMap((id) => statusOf(id) ?? [])),
    isRunning: (objectId) =>
      call('isRunning', () => {
        const [, query] = byId(objectId) ?? [];
        if (query === undefined) throw refusal('notFound');
        const { queuedMs, runMs, isRunning } = cloud.behaviour;
        const elapsed = query.startedAt === null ? -1 : now() - query.startedAt;
        const usual = elapsed >= queuedMs && elapsed < queuedMs + runMs;
        return isRunning === undefined ? usual : isRunning(elapsed, usual);
      }),
    rows: (key, { page = 1, pageSize }) =>
      call('rows', () => {
        const count = rowsOf(key);
        // All columns alike, and all rows on one page.
        const row = { subscriberkey: 'sub-000001', eventdate: '1/31/2026 9:30:00 AM' };
        return {
          count,
          page,
          pageSize,
          rows: Array.from({ length: count }, () => row),
          next: null,
        };
      }),
    rowsAfter: () => Promise.reject(refusal('notFound')),
    findQuery: (key) =>
      call('findQuery', () => {
        const found = queries.get(key);
        return found === undefined
          ? null
          : { objectId: found.objectId, customerKey: key, name: key, createdAt: null };
      }),
    findDataExtension: (key) =>
      call('findDataExtension', () =>
        targets.has(key)
          ? { objectId: key, customerKey: key, name: key, createdAt: null, folderId: null }
          : null,
      ),
    deleteQuery: (objectId) => call('deleteQuery', () => queries.delete(byId(objectId)?.[0] ?? '')),
    deleteDataExtension: (key) => call('deleteDataExtension', () => targets.delete(key)),
    dataExtensions: (prefix) =>
      call('dataExtensions', () =>
        [...targets.keys(), ...catalogue.keys()]
          .filter((key) => key.startsWith(prefix))
          .map((key) => ({
            objectId: key,
            customerKey: key,
            name: key,
            createdAt: null,
            folderId: null,
          })),
      ),
    folders: () => call('folders', () => []),
    queries: (prefix) =>
      call('queries', () =>
        [...queries]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, { objectId }]) => ({
            objectId,
            customerKey: key,
            name: key,
            createdAt: null,
          })),
      ),
    fields: (key) => call('fields', () => catalogue.get(key) ?? []),
  });

  const cloud: FakeCloud = {
    behaviour: USUAL,
    calls,
    targets,
    queries,
    starts,
    catalogue,
    hook: () => {},
    businessUnit: unit,
    scopes: () => Promise.resolve([]),
    stats: () => ({ calls: calls.length, byOperation: {}, tokens: 0 }),
    close: () => Promise.resolve(),
  };
  return cloud;
}
