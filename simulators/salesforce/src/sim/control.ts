import { type FaultSpec } from '../faults.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Journal } from '../http/journal.ts';
import type { Inside } from '../inside.ts';
import type { Sessions } from '../oauth/sessions.ts';
import type { Org } from '../org.ts';

export interface Parts {
  readonly org: Org;
  readonly inside: Inside;
  readonly journal: Journal;
  readonly sessions: Sessions;
}

/** What programs ask below `/_sim/api/`. Answers null when there is no such thing. */
export function control(
  parts: Parts,
  method: string,
  path: readonly string[],
  body: unknown,
): Answer | null {
  const { org, inside, journal } = parts;
  const [first, second] = path;
  switch (`${method} ${first ?? ''}`) {
    case 'GET state':
      return json(200, stateOf(org));
    case 'GET calls':
      return json(200, { calls: org.counter.calls, last: journal.list() });
    case 'GET files':
      return json(200, inside.files());
    case 'GET records':
      return json(200, inside.records(second ?? ''));
    case 'GET record': {
      const record = inside.record(second ?? '');
      return record === null ? null : json(200, record);
    }
    case 'GET faults':
      return json(200, org.faults.list());
    case 'POST faults':
      return json(201, org.faults.add(faultOf(body)));
    case 'DELETE faults':
      if (second === undefined) org.faults.clear();
      else if (!org.faults.remove(Number(second))) return null;
      return json(200, org.faults.list());
    case 'POST advance':
      org.clock.advance(wholeNumber(body, 'ms'));
      return json(200, stateOf(org));
    case 'POST expire-sessions':
      parts.sessions.endAll();
      return json(200, stateOf(org));
    default:
      return null;
  }
}

function stateOf(org: Org): unknown {
  const { apex, namespace } = org.settings;
  return {
    now: org.clock.now(),
    origin: org.home.origin,
    apex,
    namespace,
    calls: org.counter.calls,
    fileBytes: org.database.fileBytes,
    waitingForLocks: org.locks.waiting,
    faults: org.faults.list(),
  };
}

const FAULT_MEMBERS = [
  'kind',
  'method',
  'path',
  'record',
  'object',
  'ms',
  'status',
  'times',
  'every',
  'probability',
];

/** From JSON. What it may not have is refused: a misspelt filter would strike everything. */
export function faultOf(body: unknown): FaultSpec {
  if (typeof body !== 'object' || body === null)
    throw invalidFault('Send a fault as a JSON object.');
  const unknown = Object.keys(body).find((name) => !FAULT_MEMBERS.includes(name));
  if (unknown !== undefined) {
    throw invalidFault(`${unknown}: a fault has ${FAULT_MEMBERS.join(', ')}.`);
  }
  return body as FaultSpec;
}

/** From the form of the page, where everything is text and what is left out is empty. */
export function faultOfForm(form: URLSearchParams): FaultSpec {
  const entries = [...form].filter(([, value]) => value !== '');
  return faultOf(
    Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        ['ms', 'status', 'times', 'every', 'probability'].includes(name) ? Number(value) : value,
      ]),
    ),
  );
}

function wholeNumber(body: unknown, name: string): number {
  const value: unknown =
    typeof body === 'object' && body !== null
      ? Object.entries(body).find(([key]) => key === name)?.[1]
      : null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw invalidFault(`${name}: give a whole number from 0.`);
}

function invalidFault(message: string): Error {
  return Object.assign(new Error(message), { code: 'invalid_fault' });
}
