import {
  type FaultBoard as Board,
  type Fault as OneFault,
  type Faults as AllFaults,
  type FaultSpec as CommonSpec,
  type Strikes as CommonStrikes,
  type Random,
  GATEWAY_STATUS,
  createFaults as createBoard,
} from '@millrace/simulator-kit';

const KINDS = {
  latency: 'Waits before anything else, as long as ms says.',
  'cut-before': 'The connection ends before anything happened.',
  'cut-after': 'The connection ends after the work was done.',
  gateway: 'Before anything happened, a gateway answers with a page: 503, or what status says.',
  'gateway-after':
    'After the work was done, a gateway answers with a page: 503, or what status says.',
  'bad-client': 'No token: 401 invalid_client.',
  'token-expired':
    'The token has expired: SOAP answers 500 with a fault, REST 401. That token is gone.',
  permission:
    'A permission is missing: REST answers 403, SOAP an error with the code 12001, Retrieve one without a code.',
  throttled:
    'REST answers 429 with Retry-After (seconds, 5 when left out), SOAP 500 with the fault Rate Limited.',
  blocked: 'REST answers 429 with the code 50200 and without Retry-After, SOAP 500 with a fault.',
  'retention-refused': 'A data extension with a retention is not created.',
  'create-exception': 'SOAP refuses to create a query, with an exception that says nothing.',
  'new-id-zero': 'SOAP gives 0 as the NewID of a query.',
  'perform-error': 'Start of a query is refused.',
  'stuck-queued':
    'A query that is started stays Queued, and isrunning says false, until the fault is taken away.',
  slow: 'A query runs longer, by ms of the clock.',
  'task-error': 'A query ends with Error and what message says.',
  'fatal-error': 'A query ends with FatalError and an empty ErrorMsg.',
  'late-rows': 'A query is Complete, and its rows show later, after ms of the clock.',
  'lost-rows': 'A query is Complete, and its rows never show.',
  'no-completed-date': 'A status has no CompletedDate, whatever the query does.',
  'early-completed-date': 'A status has a CompletedDate from the start, also while Queued.',
  // The polls in docs/plans/2026-01-16-completeddate-fix.md of blake-brooks-88/qs-pro.
  'stays-queued':
    'A status says Queued, with a CompletedDate from the start, also of a query that has ended well.',
  // The documentation says that complex filters are ignored here; it says nothing about IN.
  'ignores-in': 'Where the statuses of several tasks are asked for with IN, one of them is given.',
  'no-status': 'A status comes with no value for Status.',
  'unknown-task': 'A status is not found, though the query was started.',
  'not-running': 'isrunning says false while the query runs.',
  'no-rowset': 'A rowset is not found, though the data extension is there.',
} as const;
export type FaultKind = keyof typeof KINDS;

export interface FaultSpec extends CommonSpec<FaultKind> {
  /** A pattern in the operation, as calls are counted: `^soap:Create DataExtension$`, `rest:rowset`. */
  readonly operation?: string;
  readonly mid?: string;
  /** Milliseconds: of `latency` in real time, of `slow` and `late-rows` by the clock. */
  readonly ms?: number;
  /** The seconds of `throttled`. */
  readonly seconds?: number;
  /** The message of `task-error` and `perform-error`. */
  readonly message?: string;
  /** The status of a `gateway`: 503 when left out. */
  readonly status?: number;
}

export type Fault = OneFault<FaultSpec>;
export type Faults = AllFaults<FaultSpec>;
export type FaultBoard = Board<FaultSpec, Target>;
export type Strikes = CommonStrikes<FaultSpec, Target>;

/** Things that a fault may be about besides the request. */
export interface Target {
  readonly operation?: string;
  readonly mid?: string;
}

export function createFaults(random: Random): FaultBoard {
  return createBoard<FaultSpec, Target>({
    kinds: KINDS,
    members: {
      operation: { type: 'pattern', label: 'Operation (pattern)' },
      mid: { type: 'text', label: 'MID' },
      ms: {
        type: 'number',
        label: 'Milliseconds',
        needed: {
          by: ['latency', 'slow', 'late-rows'],
          sentence: 'say how long, in milliseconds.',
        },
      },
      seconds: { type: 'number', label: 'Seconds' },
      message: { type: 'text', label: 'Message' },
      status: GATEWAY_STATUS,
    },
    isAbout: (spec, { operation = '', mid = '' }) =>
      (spec.operation === undefined || new RegExp(spec.operation).test(operation)) &&
      (spec.mid === undefined || spec.mid === mid),
    random,
  });
}
