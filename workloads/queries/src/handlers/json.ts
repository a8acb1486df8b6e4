import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Run as RunJson } from '../contract/runs.ts';
import type { Snippet as SnippetJson } from '../contract/snippets.ts';
import type { Run } from '../run.ts';
import type { Snippet } from '../snippets/snippets.ts';

/** What is of Marketing Cloud alone (keys, ids of objects and tasks) stays inside. */
export function runJson(run: Run): RunJson {
  const { id, status, mceStatus, mid, sqlText, snippetName, rowCount, error, pollCount } = run;
  return {
    id,
    status,
    mceStatus,
    mid,
    sqlText,
    snippetName,
    tenant: run.tenantId,
    submitter: run.userId === '' ? null : run.userId,
    columns: run.columns === null ? null : [...run.columns],
    rowCount,
    error,
    trouble: run.trouble,
    waitsFor: run.waitsFor,
    pollCount,
    // Shares of calls are fractions: a hundredth is enough to add up.
    apiCalls: Math.round(run.apiCalls * 100) / 100,
    createdAt: iso(run.createdAt),
    pollStartedAt: isoOrNull(run.pollStartedAt),
    completedAt: isoOrNull(run.completedAt),
    resultsExpireAt: isoOrNull(run.resultsExpireAt),
  };
}

export function snippetJson(snippet: Snippet): SnippetJson {
  const { name, sqlText, shared, tenantId: tenant, userId: owner, updatedAt } = snippet;
  return { name, sqlText, shared, tenant, owner, updatedAt: iso(updatedAt) };
}
