import { createHash } from 'node:crypto';
import type { FinishedParent, Follower, RuleBook } from '@millrace/engine';
import type { CatalogueView, ReportDefinition } from '../catalogue/types.ts';
import { identityOfService, sightOf, submitterOf } from '../identity/identity.ts';
import type { ReportIdentity } from '../identity/types.ts';
import { REPORT, type ReportJob, reportJobSchema } from '../job-data.ts';
import { type ReportOutcome, reportOutcomeSchema } from '../result.ts';
import { claimsNeeded } from './claims.ts';
import { fulfils } from './conditions.ts';
import { DOCUMENT, coverOf } from './cover.ts';
import { givenBy } from './parents.ts';
import type { AfterParent, AfterRule } from './types.ts';

/**
 * The rules of the report files, as the engine asks for them at the end of each report's job.
 *
 * - Only success counts. A parent that failed or was cancelled and is retried by hand arrives when it succeeds; if the others
 *   of its group have waited longer than `within` by then, their gate is closed, and it begins to wait by itself.
 * - A parent that is run again takes the place of the earlier one while the group waits. Once the child was made, it begins
 *   another group: the child comes again when the others have run again too.
 * - A file that changes leaves the jobs that it made alone. Groups of a rule that has changed no longer meet; they close
 *   after `within`.
 */
export function reportRules(view: () => CatalogueView): RuleBook {
  return {
    name: 'reports',
    parents: [REPORT],
    children: [REPORT, DOCUMENT],
    follow: (parent) => followersOf(view(), parent),
  };
}

/** What has just ended well. */
interface Ended {
  readonly job: ReportJob;
  readonly outcome: ReportOutcome;
}

export function followersOf(view: CatalogueView, parent: FinishedParent): Follower[] {
  if (parent.kind !== REPORT || parent.state !== 'SUCCEEDED' || parent.data === null) return [];
  const job = reportJobSchema.parse(parent.data);
  const rules = rulesAfter(view, job.report);
  const definition = view.reports.get(job.report);
  if (rules.length === 0 && (definition?.value.cover ?? null) === null) return [];
  const ended = { job, outcome: reportOutcomeSchema.parse(parent.result) };
  const cover = definition === undefined ? null : coverOf(definition, ended);
  const children = rules.flatMap(({ child, rule, slot }) => {
    const report = view.reports.get(job.report)?.value ?? null;
    if (!slot.when.every((condition) => fulfils(condition, ended, report))) return [];
    const follower = followerOf(view, child, rule, slot, ended);
    return follower === null ? [] : [follower];
  });
  return cover === null ? children : [...children, cover];
}

interface RuleAfter {
  readonly child: ReportDefinition;
  readonly rule: AfterRule;
  readonly slot: AfterParent;
}

function rulesAfter(view: CatalogueView, report: string): RuleAfter[] {
  return [...view.reports.values()].flatMap((child) =>
    child.value.after.flatMap((rule) =>
      rule.parents.flatMap((slot) => (slot.report === report ? [{ child, rule, slot }] : [])),
    ),
  );
}

function followerOf(
  view: CatalogueView,
  child: ReportDefinition,
  rule: AfterRule,
  slot: AfterParent,
  { job, outcome }: Ended,
): Follower | null {
  const claims = claimsNeeded(view, child.name);
  const identity = identityFor(view, rule.as, job.identity, claims);
  if (identity === null) return null;
  const about = { report: child.name, digest: child.digest, output: rule.output, identity };
  const made = {
    child: REPORT,
    ...(identity.service !== null && { submitter: submitterOf(identity.service) }),
  };
  if (rule.parents.length === 1) {
    const parameters = givenBy(rule.parameters, new Map([[slot.report, outcome]]));
    return { ...made, data: { ...about, parameters } satisfies ReportJob };
  }
  const key = keyOf(slot, outcome);
  if (key === null) return null;
  const asParents = rule.as === 'parent';
  return {
    ...made,
    data: { ...about, from: { parameters: rule.parameters, asParents } } satisfies ReportJob,
    gate: {
      rule: gateName(child.name, rule),
      // Those who see different rows do not meet: the child of two people would be for neither of them.
      key: asParents ? `${key} ${digestOf(sightOf(identity, claims))}` : key,
      slot: slot.report,
      slots: rule.parents.map(({ report }) => report),
      ...(rule.withinMs !== null && { within: rule.withinMs }),
    },
  };
}

/** Null: services.yaml does not have it (any more). */
function identityFor(
  view: CatalogueView,
  as: string,
  parent: ReportIdentity,
  claims: ReadonlySet<string>,
): ReportIdentity | null {
  if (as === 'parent')
    return {
      ...parent,
      claims: Object.fromEntries(
        Object.entries(parent.claims).filter(([claim]) => claims.has(claim)),
      ),
    };
  const service = view.services.get(as);
  return service === undefined ? null : identityOfService(service, claims);
}

/** Null: it ran without the parameter, and takes no part. */
function keyOf({ match }: AfterParent, { parameters }: ReportOutcome): string | null {
  const value = match !== null && Object.hasOwn(parameters, match) ? parameters[match] : null;
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_OF_KEY ? digestOf(text) : text;
}

/** Gates are found by their key, and with a tenant's name around it no more fits into the index. */
const MOST_OF_KEY = 100;

/** Another one as soon as the rule groups in another way: what has arrived under the old one would not complete the new. */
function gateName(child: string, { parents, as }: AfterRule): string {
  const grouping = parents.map(({ report, match }) => [report, match]);
  return `report:${child}:${digestOf(JSON.stringify([grouping, as]))}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
