import type { Dependant, FinishedJob, GateArrival, NewJob } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { insertJobs } from './enqueue.ts';

/** A finished parent and one thing that follows from it. */
export interface Following {
  readonly job: FinishedJob;
  readonly dependant: Dependant;
}

// The row's lock makes parents that finish at the same moment take turns, and DO UPDATE sees what the one
// before has written: "are all there?" asked of the parents themselves would answer no to both (READ COMMITTED).
// A gate whose time is over counts as closed, though upkeep has not come by yet: whoever comes late begins another.
// In key order, so that two batches never wait for each other. $1 rule[] $2 key[] $3 arrived[] $4 within, ms[]
const ARRIVE: Statement = {
  name: 'millrace_gate_arrive',
  text: `
INSERT INTO millrace.gates AS g (rule, key, arrived, closes_at)
SELECT u.rule, u.key, u.arrived::jsonb, millrace.clock() + u.within * interval '1 millisecond'
  FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::float8[]) AS u(rule, key, arrived, within)
 ORDER BY u.rule COLLATE "C", u.key COLLATE "C"
ON CONFLICT (rule, key) DO UPDATE SET
  arrived = CASE WHEN g.closes_at < millrace.clock() THEN excluded.arrived ELSE g.arrived || excluded.arrived END,
  closes_at = CASE WHEN g.closes_at < millrace.clock() THEN excluded.closes_at ELSE g.closes_at END
RETURNING rule, key, arrived::text`,
};

// $1 rule[] $2 key[]
const OPEN: Statement = {
  name: 'millrace_gate_open',
  text: `
DELETE FROM millrace.gates WHERE ctid = ANY (ARRAY(
  SELECT g.ctid FROM unnest($1::text::text[], $2::text::text[]) AS u(rule, key) CROSS JOIN LATERAL (
    SELECT ctid FROM millrace.gates WHERE rule = u.rule AND key = u.key FOR UPDATE OFFSET 0) g))`,
};

/** Makes what follows from finished jobs, in the transaction that finishes them. */
export async function follow(
  context: Pick<Context, 'tally'>,
  session: Session,
  followings: readonly Following[],
): Promise<void> {
  const atOnce = followings.flatMap(({ dependant }) =>
    dependant.gate === undefined ? [dependant.child] : [],
  );
  const gated = followings.flatMap(({ job, dependant }) =>
    dependant.gate === undefined ? [] : [{ job, child: dependant.child, gate: dependant.gate }],
  );
  const children = [...atOnce, ...(gated.length === 0 ? [] : await arrive(session, gated))];
  await insertJobs(context, session, children);
}

interface Gathered {
  readonly gate: GateArrival;
  readonly child: NewJob;
  readonly arrived: Record<string, string>;
}

async function arrive(
  session: Session,
  arrivals: readonly { job: FinishedJob; child: NewJob; gate: GateArrival }[],
): Promise<NewJob[]> {
  const rounds = gather(arrivals);
  const children: NewJob[] = [];
  for (const round of rounds) {
    const byGate = new Map(round.map((gathered) => [identity(gathered.gate), gathered]));
    const rows = await session.query<{ rule: string; key: string; arrived: string }>(ARRIVE, [
      texts(round.map(({ gate }) => gate.rule)),
      texts(round.map(({ gate }) => gate.key)),
      texts(round.map(({ arrived }) => JSON.stringify(arrived))),
      numbers(round.map(({ gate }) => gate.withinMs)),
    ]);
    const opened = rows.flatMap((row) => {
      const gathered = byGate.get(identity(row));
      const parents = JSON.parse(row.arrived) as Record<string, string>;
      return gathered?.gate.slots.every((slot) => Object.hasOwn(parents, slot)) === true
        ? [{ row, child: { ...gathered.child, parents } }]
        : [];
    });
    if (opened.length === 0) continue;
    await session.query(OPEN, [
      texts(opened.map(({ row }) => row.rule)),
      texts(opened.map(({ row }) => row.key)),
    ]);
    children.push(...opened.map(({ child }) => child));
  }
  return children;
}

/** One statement may touch a gate once. Several arrivals at one gate go together while their slots differ. */
function gather(
  arrivals: readonly { job: FinishedJob; child: NewJob; gate: GateArrival }[],
): Gathered[][] {
  const rounds: Map<string, Gathered>[] = [];
  for (const { job, child, gate } of arrivals) {
    const key = identity(gate);
    let placed = rounds.find((round) => round.get(key)?.arrived[gate.slot] === undefined);
    if (placed === undefined) rounds.push((placed = new Map()));
    const before = placed.get(key);
    placed.set(key, { gate, child, arrived: { ...before?.arrived, [gate.slot]: job.id } });
  }
  return rounds.map((round) => [...round.values()]);
}

function identity({ rule, key }: { rule: string; key: string }): string {
  return JSON.stringify([rule, key]);
}
