// A Marketing Cloud in memory for `queries`: it has statuses and rows, takes its time, and counts what it is asked.
// Whether requests are right is tested elsewhere, over HTTP; here their number and their moment matter.

import { setTimeout as sleep } from 'node:timers/promises';

/** `runMs(n)`: how long the n-th query takes once it runs. Until `release`, all of them wait in its queue. */
export function createCloud({ latencyMs, runMs }) {
  const calls = new Map();
  const tasks = new Map();
  let releasedAt = Number.POSITIVE_INFINITY;
  let started = 0;

  const endOf = (task) => Math.max(releasedAt, task.startedAt) + task.runMs;
  const isOver = (task) => Date.now() >= endOf(task);

  /** A call as it is for whoever waits: there and back. */
  const called = (operation, answer, onCall) => async () => {
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    await sleep(latencyMs);
    onCall({ mid: '100001', operation, requests: 1, status: 200, errorCode: null });
    return answer();
  };

  function statusOf(taskId) {
    const task = tasks.get(taskId);
    const waits = Date.now() < releasedAt;
    const status = waits ? 'Queued' : isOver(task) ? 'Complete' : 'Processing';
    const none = { statusMessage: null, errorMsg: null, startDate: null, completedDate: null };
    return { taskId, status, ...none };
  }

  function unitFor(onCall) {
    const call = (operation, answer) => called(operation, answer, onCall)();
    return {
      mid: '100001',
      validate: () => call('validate', () => ({ valid: true, errors: [], warnings: [] })),
      createDataExtension: () =>
        call('create', () => ({ objectId: crypto.randomUUID(), retention: true })),
      createQuery: ({ customerKey }) =>
        call('create', () => ({ objectId: `query ${customerKey}` })),
      startQuery: (objectId) =>
        call('start', () => {
          const key = objectId.slice('query '.length);
          const task = { key, runMs: runMs(started), startedAt: Date.now() };
          started += 1;
          tasks.set(task.key, task);
          return { taskId: task.key };
        }),
      taskStatuses: (ids) => call('taskStatuses', () => ids.map(statusOf)),
      isRunning: (objectId) =>
        call('isRunning', () => !isOver(tasks.get(objectId.slice('query '.length)))),
      rows: (key) =>
        call('rows', () => ({ count: isOver(tasks.get(key)) ? 7 : 0, rows: [], next: null })),
      deleteQuery: () => call('delete', () => true),
      deleteDataExtension: () => call('delete', () => true),
      findQuery: () => call('find', () => null),
      fields: () => call('fields', () => []),
      dataExtensions: () => call('find', () => []),
      folders: () => call('find', () => []),
      queries: () => call('find', () => []),
    };
  }

  return {
    calls: () => Object.fromEntries(calls),
    forgetCalls: () => calls.clear(),
    /** From now on the queries run, each for its time. */
    release() {
      releasedAt = Date.now();
    },
    endOf: (taskId) => endOf(tasks.get(taskId)),
    started: () => started,
    open(onCall) {
      const unit = unitFor(onCall);
      return { businessUnit: () => unit, close: async () => {} };
    },
  };
}
