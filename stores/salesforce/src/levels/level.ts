import type {
  Claimed,
  ClaimParams,
  Lease,
  RenewAnswer,
  SettleAnswer,
  SettledOutcome,
} from '@millrace/engine';
import type { SalesforceError, WriteOptions } from '@millrace/salesforce';
import type { Context } from '../context.ts';

/**
 * Who may write a record is decided in the org: by the package's Apex, or, where only its objects are installed,
 * by rows whose key is unique. All else is the same for both. Why neither PATCH nor upsert can decide it:
 * docs/decisions/0008-salesforce-leases.md.
 */
export interface Level {
  readonly name: 'apex' | 'objects';
  claim(params: ClaimParams): Promise<Claimed>;
  renew(leases: readonly Held[], leaseMs: number): Promise<RenewAnswer[]>;
  settle(endings: readonly Ending[]): Promise<SettleAnswer[]>;
  cancel(recordIds: readonly string[]): Promise<{ canceled: string[]; requested: string[] }>;
  retry(recordIds: readonly string[]): Promise<string[]>;
}

export interface Held extends Pick<Lease, 'epoch'> {
  readonly recordId: string;
}

/** A lease and how its execution came out. */
export interface Ending extends Held {
  readonly token: string;
  readonly correlationId?: string | null;
  /** Whom the job was about when it was claimed. */
  readonly subject: string | null;
  readonly attempt: number;
  readonly outcome: SettledOutcome;
  /** While it ran: see `erased`. */
  readonly isErased?: boolean;
}

/** For the header of a call that settles several documents: the id of each, so that any of them finds it. */
export function correlationOf(endings: readonly Ending[]): string {
  return [...new Set(endings.map(({ correlationId, recordId }) => correlationId ?? recordId))].join(
    ',',
  );
}

/**
 * The package's Apex was deployed while this process worked without it: the trigger refuses what the other level writes, and
 * nothing of it was done. The store looks again which level the org has.
 */
export class ApexAppeared extends Error {
  override readonly name = 'ApexAppeared';
  constructor(cause: SalesforceError) {
    super(cause.message, { cause });
  }
}

/** How the package's trigger begins to refuse (GeneratedDocumentHandler), where no lease was presented. */
export function isOfTrigger({ message }: SalesforceError): boolean {
  return /\b(LEASE_IS_THE_WORKERS|ILLEGAL_MOVE):/.test(message);
}

/** Cut to what Apex and a call can carry. */
export function inGroups<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let from = 0; from < items.length; from += size) groups.push(items.slice(from, from + size));
  return groups;
}

/** Rows that one Apex call changes: 200 fit its limits with room to spare. */
export const AT_ONCE = 200;

/**
 * Calls the package's endpoint. `repeatable` calls are sent again after a lost answer: they change nothing the
 * second time.
 */
export type ApexCall = <T>(
  verb: string,
  body: object,
  options?: Pick<WriteOptions, 'repeatable' | 'correlationId'>,
) => Promise<T>;

export function apexCall({ salesforce, names }: Context): ApexCall {
  return (verb, body, options = {}) =>
    salesforce.apex({ method: 'POST', path: `${names.apex}/${verb}`, body, ...options });
}
