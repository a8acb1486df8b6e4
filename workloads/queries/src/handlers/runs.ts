import { type Duration, INTERNAL_KEYS } from '@millrace/engine';
import { type HandlersOf, ok, lastWithin } from '@millrace/workload-kit';
import type { runContracts } from '../contract/runs.ts';
import { QueryError } from '../errors.ts';
import type { Run } from '../run.ts';
import type { QueriesWithin } from '../within.ts';
import { runJson } from './json.ts';

export function runHandlers({ runs, snippets }: QueriesWithin): HandlersOf<typeof runContracts> {
  return {
    async startRun({ body, caller, correlationId, signal }) {
      const userId = caller?.name ?? '';
      const { sql = '', snippet, mid, key, keyWindow, wait = 0 } = body;
      // Those of pipelines: a run that somebody made by hand must not be taken for that of a step.
      if (key?.startsWith(INTERNAL_KEYS) === true)
        throw new QueryError(
          'invalid_key',
          `Keys that begin with "${INTERNAL_KEYS}" are the service's own. Let yours begin otherwise.`,
        );
      const sqlText = snippet === undefined ? sql : (await snippets.get(snippet, userId)).sqlText;
      const begun = await runs.submit({
        sqlText,
        mid,
        snippetName: snippet,
        userId,
        correlationId,
        key,
        // The contract's pattern is the engine's.
        keyWindow: keyWindow as Duration | undefined,
      });
      const run = await lastWithin(wait * 1_000, signal, begun, (enough) =>
        runs.watch(begun.id, enough),
      );
      return { status: run.completedAt === null ? 202 : 200, body: runJson(run) };
    },
    async listRuns({ query }) {
      const { createdAfter, createdBefore, ...filter } = query;
      const { items, next } = await runs.list({
        ...filter,
        createdAfter: msOf(createdAfter),
        createdBefore: msOf(createdBefore),
      });
      return ok({ runs: items.map(runJson), next });
    },
    async getRun({ params: { id } }) {
      return ok(runJson(await runs.get(id)));
    },
    async runEvents({ params: { id }, signal }) {
      const first = eventOf(await runs.get(id));
      return { ...ok(first), events: eventsOf(runs.watch(id, signal)) };
    },
    async cancelRun({ params: { id } }) {
      return ok(runJson(await runs.cancel(id)));
    },
  };
}

function eventOf(run: Run) {
  return { type: 'run' as const, run: runJson(run) };
}

async function* eventsOf(seen: AsyncIterable<Run>) {
  for await (const run of seen) yield eventOf(run);
}

function msOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}
