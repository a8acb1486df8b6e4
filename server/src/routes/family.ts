import type { Contracts } from '@millrace/api';
import {
  type Job,
  type JobId,
  type JobSummary,
  MillraceError,
  type OpenGate,
  type Rule,
  WEBHOOK_KIND,
} from '@millrace/engine';
import { iso, isoOrNull } from '@millrace/workload-kit';
import type { z } from 'zod';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';

type Family = z.infer<Contracts['getFamily']['response']>;
type Node = Family['nodes'][number];
type KnownRule = Pick<Rule, 'name' | 'parents' | 'child'>;

const MOST = 200;
/** The maximum of jobs with one correlation id that are searched for grandchildren. */
const LOOKED_THROUGH = 1_000;
const GATES = 20;

export function familyHandlers({ queue, store, rules }: RouteParts): Handlers<'getFamily'> {
  return {
    async getFamily({ params: { id } }) {
      const job = await queue.get(id);
      if (job === null) throw new MillraceError('job_not_found', `There is no job "${id}".`);
      const found = await generations(queue, job);
      const nodes = found.slice(0, MOST);
      const open = await store.followers.gates({
        arrived: nodes.map(({ job: each }) => each.id),
        limit: GATES,
      });
      const known = rules();
      const there = await queue.summaries(open.flatMap(({ arrived }) => Object.values(arrived)));
      const shown = new Set(there.map((each) => each.id));
      return ok({
        id,
        nodes: nodes.map(({ job: each, generation }) => nodeJson(each, generation)),
        edges: edgesOf(
          nodes.map((each) => each.job),
          known,
        ),
        gates: open.flatMap((gate) => gateJson(gate, known, shown)),
        more: found.length > MOST,
      });
    },
  };
}

type Placed = { readonly job: JobSummary; readonly generation: number };

/** Those it came from up to the first, the job, its children and theirs. */
async function generations(queue: RouteParts['queue'], job: Job): Promise<Placed[]> {
  const above: Placed[] = [];
  const seen = new Set<JobId>([job.id]);
  let parents = parentsOf(job);
  for (let generation = -1; parents.length > 0 && above.length < MOST; generation -= 1) {
    const found = await queue.summaries(parents.filter((id) => !seen.has(id)));
    for (const each of found) seen.add(each.id);
    above.unshift(...found.map((each) => ({ job: each, generation })));
    parents = found.flatMap(parentsOf);
  }
  const children = (await queue.children(job, MOST)).filter(({ id }) => !seen.has(id));
  const ids = new Set(children.map(({ id }) => id));
  const grandchildren =
    children.length === 0 || children.length >= MOST
      ? []
      : (
          await queue.list({
            filter: { correlationId: job.correlationId ?? job.id },
            limit: LOOKED_THROUGH,
          })
        ).jobs.filter(
          (each) =>
            !seen.has(each.id) && !ids.has(each.id) && parentsOf(each).some((id) => ids.has(id)),
        );
  return [
    ...above,
    { job, generation: 0 },
    ...children.map((each) => ({ job: each, generation: 1 })),
    ...grandchildren.map((each) => ({ job: each, generation: 2 })),
  ];
}

function parentsOf({ parents }: Pick<JobSummary, 'parents'>): JobId[] {
  return Object.values(parents ?? {});
}

function nodeJson(job: JobSummary, generation: number): Node {
  const { id, kind, state, progress, error } = job;
  return {
    id,
    kind,
    state,
    createdAt: iso(job.createdAt),
    runAt: iso(job.runAt),
    startedAt: isoOrNull(job.startedAt),
    finishedAt: isoOrNull(job.finishedAt),
    progress,
    error,
    generation,
  };
}

function edgesOf(jobs: readonly JobSummary[], rules: readonly KnownRule[]): Family['edges'] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  return jobs.flatMap((job) =>
    Object.entries(job.parents ?? {}).flatMap(([, from]) => {
      const parent = byId.get(from);
      return parent === undefined ? [] : [{ from, to: job.id, why: whyOf(parent, job, rules) }];
    }),
  );
}

function whyOf(
  parent: JobSummary,
  child: JobSummary,
  rules: readonly KnownRule[],
): Family['edges'][number]['why'] {
  if (child.kind === WEBHOOK_KIND) return 'webhook';
  if (child.kind === `${parent.kind}.cleanup`) return 'cleanup';
  const isByRule = rules.some(
    (rule) => rule.child === child.kind && rule.parents.includes(parent.kind),
  );
  return isByRule ? 'rule' : 'made';
}

/** Its key has the tenant before it, since tenants never meet at a gate. */
function gateJson(
  { rule, key, arrived, closesAt }: OpenGate,
  rules: readonly KnownRule[],
  shown: ReadonlySet<JobId>,
): Family['gates'] {
  const known = rules.find(({ name }) => name === rule);
  return [
    {
      rule,
      key: keyOf(key),
      child: known?.child ?? null,
      arrived: Object.fromEntries(Object.entries(arrived).filter(([, id]) => shown.has(id))),
      waitsFor: (known?.parents ?? []).filter((slot) => !Object.hasOwn(arrived, slot)),
      closesAt: iso(closesAt),
    },
  ];
}

function keyOf(key: string): string {
  const [, shared = ''] = JSON.parse(key) as string[];
  return shared;
}
