import { runJsonOf } from '@millrace/runs';
import { iso, isoOrNull } from '@millrace/workload-kit';
import { type Run as RunJson, STATUS_OF } from '../contract/runs.ts';
import type { Snippet as SnippetJson } from '../contract/snippets.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import type { Snippet } from '../snippets/snippets.ts';

/** What is of Marketing Cloud alone (keys, ids of objects and tasks) stays inside. */
export function runJson(run: QueryRunRecord): RunJson {
  const { mceStatus, mid, sqlText, snippetName, rowCount, pollCount } = run;
  return {
    ...runJsonOf(run),
    status: STATUS_OF[run.state],
    mceStatus,
    mid,
    sqlText,
    snippetName,
    columns: run.columns === null ? null : [...run.columns],
    rowCount,
    trouble: run.trouble,
    waitsFor: run.waitsFor,
    pollCount,
    // Shares of calls are fractions: a hundredth is enough to add up.
    apiCalls: Math.round(run.apiCalls * 100) / 100,
    resultsExpireAt: isoOrNull(run.resultsExpireAt),
  };
}

export function snippetJson(snippet: Snippet): SnippetJson {
  const { name, sqlText, shared, tenantId: tenant, userId: owner, updatedAt } = snippet;
  return { name, sqlText, shared, tenant, owner, updatedAt: iso(updatedAt) };
}
