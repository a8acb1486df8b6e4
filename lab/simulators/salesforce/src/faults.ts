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
  hold: 'The transaction is done and not committed, its locks held, until the fault is taken away.',
  unavailable: 'Answers 503.',
  'cut-before': 'The connection ends before anything happened.',
  'cut-after': 'The connection ends after the commit.',
  gateway: 'Before anything happened, a gateway answers with a page: 502, or what status says.',
  'gateway-after': 'After the commit, a gateway answers with a page: 502, or what status says.',
  'session-expired': 'Answers 401, and the session is gone.',
  limit: 'Answers 403: the calls of the day are used up.',
  crowded: 'Answers 403: too many long requests at once.',
  lock: 'A row cannot be had.',
  storage: 'There is no room for a record.',
  refused:
    'A new record is refused with code and message, as by a trigger or flow of the org, or by its maintenance.',
  'query-timeout': 'A query, or one of Apex REST, takes too long.',
  'apex-error': 'Apex REST hits a governor limit, which nothing catches.',
  hidden:
    'The user has no right to see an object, or no part in a record; only descriptions and UserRecordAccess say so.',
  'read-only': 'The user may not create or change an object, as its description says.',
} as const;

export type FaultKind = keyof typeof KINDS;

export interface FaultSpec extends CommonSpec<FaultKind> {
  /** For `lock`, `storage` and `hidden`: the id of a record. */
  readonly record?: string;
  /** For `lock`, `storage`, `refused`, `hidden` and `read-only`: the name of an object. */
  readonly object?: string;
  /** The errorCode of `refused`: CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY, a trigger's, when left out. */
  readonly code?: string;
  /** The message of `refused`. */
  readonly message?: string;
  /** Milliseconds of `latency`. */
  readonly ms?: number;
  /** The status of a `gateway`: 502 when left out. */
  readonly status?: number;
}

export type Fault = OneFault<FaultSpec>;
export type Faults = AllFaults<FaultSpec>;
export type FaultBoard = Board<FaultSpec, Target>;
export type Strikes = CommonStrikes<FaultSpec, Target>;

/** Things that a fault may be about besides the request. */
export interface Target {
  readonly record?: string;
  readonly object?: string;
}

export function createFaults(random: Random): FaultBoard {
  return createBoard<FaultSpec, Target>({
    kinds: KINDS,
    members: {
      record: { type: 'text', label: 'Record' },
      object: { type: 'text', label: 'Object' },
      code: { type: 'text', label: 'Code' },
      message: { type: 'text', label: 'Message' },
      ms: {
        type: 'number',
        label: 'Milliseconds',
        needed: { by: ['latency'], sentence: 'say how long, in milliseconds.' },
      },
      status: GATEWAY_STATUS,
    },
    isAbout: (spec, target) =>
      (spec.record === undefined || spec.record.slice(0, 15) === target.record?.slice(0, 15)) &&
      (spec.object === undefined || spec.object.toLowerCase() === target.object?.toLowerCase()),
    random,
  });
}
