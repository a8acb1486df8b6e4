import type { Duration } from '@millrace/engine';
import { eventsOf, requireForeignKey } from '@millrace/runs';
import { type HandlersOf, ok, lastWithin } from '@millrace/workload-kit';
import { type runContracts, stateOf } from '../contract/runs.ts';
import type { QueriesWithin } from '../within.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import { runJson } from './json.ts';

export function runHandlers({ runs, snippets }: QueriesWithin): HandlersOf<typeof runContracts> {
  return {
    async startRun({ body, caller, correlationId, signal }) {
      const submitter = caller?.name ?? null;
      const { sql = '', snippet, mid, key, keyWindow, wait = 0 } = body;
      requireForeignKey(key);
      const sqlText =
        snippet === undefined ? sql : (await snippets.get(snippet, submitter ?? '')).sqlText;
      const begun = await runs.submit({
        sqlText,
        mid,
        snippetName: snippet,
        submitter,
        correlationId,
        key,
        // The contract's pattern is the engine's.
        keyWindow: keyWindow as Duration | undefined,
      });
      const run = await lastWithin(wait * 1_000, signal, begun, (enough) =>
        runs.watch(begun.id, enough),
      );
      return { status: run.finishedAt === null ? 202 : 200, body: runJson(run) };
    },
    async listRuns({ query }) {
      const { status, ...filter } = query;
      const { items, next } = await runs.list({
        ...filter,
        ...(status !== undefined && { state: stateOf(status) }),
      });
      return ok({ runs: items.map(runJson), next });
    },
    async getRun({ params: { id } }) {
      return ok(runJson(await runs.get(id)));
    },
    async runEvents({ params: { id }, signal }) {
      const first = { type: 'run' as const, run: runJson(await runs.get(id)) };
      return { ...ok(first), events: eventsOf('run', jsonOf(runs.watch(id, signal))) };
    },
    async cancelRun({ params: { id } }) {
      return ok(runJson(await runs.cancel(id)));
    },
  };
}

async function* jsonOf(seen: AsyncIterable<QueryRunRecord>) {
  for await (const run of seen) yield runJson(run);
}
