import { INTERNAL_KEYS, MillraceError } from '@millrace/engine';
import { type Caller, type PageParams, type Scope, admitted } from '@millrace/workload-kit';
import { ReportError } from './errors.ts';
import { covers } from './identity/covers.ts';
import { identityOf } from './identity/identity.ts';
import { decideRows } from './identity/row-rules.ts';
import { endOfToken } from './identity/tokens.ts';
import type { Reports } from './reports.ts';
import { type NewRun, type NewToken, type RunListFilter, noRun } from './runs/runs.ts';
import type { RunSight } from './runs/sight.ts';

/** The reports as a caller may see them: what is outside of the scope is answered as if it were not there. */
export function reportsWithin(reports: Reports, scope: Scope) {
  const { runs, watch } = reports;

  /** The one way to a run of a caller's. */
  async function own(id: string): Promise<RunSight> {
    const within = admitted(scope, await runs.find(id));
    if (within === null) throw noRun(id);
    return within;
  }

  /** A key is the tenant's, and the run that has it may be somebody else's. */
  function requireOwn(run: RunSight, key: string | undefined): RunSight {
    if (scope.owner === null || run.submitter === scope.owner) return run;
    scope.accessTrace?.denied();
    throw new MillraceError(
      'key_taken',
      `Somebody else has a run with the key "${key}". Choose another key.`,
    );
  }

  return {
    catalogue: reports.catalogue,
    source: reports.source,
    sample: reports.sample,
    config: reports.config,
    metrics: reports.metrics,
    outputs: reports.outputs,
    /** By the wall: what "today" is. */
    now: () => Date.now(),
    runs: {
      /** `bearer`: the caller's token, which is kept where the report wants it. */
      async submit(
        run: Omit<NewRun, 'tenant' | 'token'> & { readonly bearer: string | null },
      ): Promise<RunSight> {
        requireFreeKey(run.key);
        if (run.webhook !== undefined) reports.requireWebhook(run.webhook);
        const { definition, bearer } = run;
        const { tenant } = scope;
        scope.accessTrace?.touched([tenant]);
        const token = definition.value.keepToken ? kept(reports, bearer, definition.name) : null;
        return requireOwn(await runs.submit({ ...run, tenant, token }), run.key);
      },
      get: own,
      async list(params: PageParams & Omit<RunListFilter, 'tenants'>) {
        const { owner, tenants } = scope;
        // A member who asks for the runs of somebody else gets none.
        if (owner !== null && params.submitter !== undefined && params.submitter !== owner)
          return { items: [], next: null };
        const submitter = owner ?? params.submitter;
        const page = await runs.list({ ...params, submitter, tenants });
        if (page.items.length > 0) scope.accessTrace?.touched(tenants);
        return page;
      },
      cancel: async (id: string) => runs.cancel(await own(id)),
      retry: async (id: string) => runs.retry(await own(id)),
      async *watch(id: string, signal: AbortSignal): AsyncGenerator<RunSight> {
        yield* watch((await own(id)).id, signal);
      },
      fileGone: reports.fileGone,
    },
    /**
     * Whoever may see a run need not be somebody who may see its rows: an operator from one county gets no file that was made
     * for another. Both sides are held against the rules that the file was made with.
     */
    async requireRows(run: RunSight, caller: Caller | null): Promise<void> {
      const definition = await reports.definition(run.report, run.digest);
      if (definition?.value.public === true) return;
      const mine =
        definition === null || caller === null
          ? null
          : decideRows(definition.value, identityOf(caller, ALL_CLAIMS));
      const made =
        definition === null || run.identity === null
          ? null
          : decideRows(definition.value, run.identity);
      if (mine !== null && made !== null && covers(mine, made)) return;
      scope.accessTrace?.denied();
      throw new ReportError(
        'claim_missing',
        `The file of the run ${run.id} has rows that you may not see, by the row rules of the report "${run.report}".`,
      );
    },
  };
}

export type ReportsWithin = ReturnType<typeof reportsWithin>;

/** Those of the caller as they are: nothing is kept of them. */
const ALL_CLAIMS: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

/** Keys that begin so are the process's own, such as of the steps of a pipeline. */
function requireFreeKey(key: string | undefined): void {
  if (key?.startsWith(INTERNAL_KEYS) === true)
    throw new ReportError(
      'invalid_key',
      `Keys that begin with "${INTERNAL_KEYS}" are the service's own. Let yours begin otherwise.`,
    );
}

function kept({ tokens }: Reports, bearer: string | null, report: string): NewToken | null {
  if (!tokens.hasKey)
    throw new ReportError(
      'token_key_missing',
      `The report "${report}" keeps the token of whoever runs it, and this service has no key to encrypt it with.`,
    );
  if (bearer === null) return null;
  return { seal: (job) => tokens.seal(bearer, job), expiresAt: endOfToken(bearer) };
}
