import { type Answer, openSite } from '@millrace/simulator-kit';
import { type Apex, loadApex } from './apex/apex-run.ts';
import { apexEndpoints, apexInBetween, apexTrigger, installApex } from './apex/endpoints.ts';
import type { Calls } from './calls.ts';
import { createCometd } from './cometd/cometd.ts';
import type { State } from './data/state.ts';
import type { Faults } from './faults.ts';
import { json } from './http/answer.ts';
import { createApi } from './http/api.ts';
import { LONGEST_BODY } from './http/incoming.ts';
import { createJournal } from './http/journal.ts';
import { createService } from './http/service.ts';
import { type Inside, lookInside } from './inside.ts';
import { createSessions } from './oauth/sessions.ts';
import { type SalesforceOptions, settle } from './options.ts';
import { createOrg, NO_FAULTS, type Org } from './org.ts';
import { createLeaves } from './rest/leaves.ts';
import { createPages } from './sim/pages.ts';
import { createStateKeeper } from './data/keeper.ts';
import { findUser } from './oauth/token.ts';

export interface Salesforce {
  readonly origin: string;
  /** Where tokens are asked for: the same place. */
  readonly loginUrl: string;
  readonly instanceUrl: string;
  /** The org's clock. */
  now(): number;
  /** Moves the clock: sessions end, leases expire, lock waits run out. */
  advance(ms: number): void;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly org: Inside;
  /**
   * A call of the package's Apex REST (`millrace/v1/claim`) that comes in between, once: from its beginning to its commit, before
   * the next lock that Apex of another call takes.
   */
  inBetween(
    path: string,
    body: unknown,
  ): Promise<{ readonly status: number; readonly body?: unknown }>;
  /** Every session ends now. */
  expireSessions(): void;
  /** Who listens to events by the Streaming API. */
  readonly listeners: {
    /** How many wait for an event now. */
    readonly waiting: number;
    /** Each has to shake hands again, as Salesforce asks for now and then. */
    forget(): void;
  };
  exportState(): State;
  /** Puts another org's data in place of this one's. */
  importState(state: State): void;
  close(): Promise<void>;
}

/** Slow senders are cut off after this long. */
const REQUEST_MS = 60_000;
/** So that we can say ourselves that a head is too long. */
const LONGEST_HEAD = 65_536;

export async function startSalesforce(options: SalesforceOptions = {}): Promise<Salesforce> {
  const settings = settle(options);
  const open = await loadApex(settings);
  let apex: Apex | null = null;
  const org = createOrg(settings, (made) => {
    apex = open === null ? null : installApex(made, open);
    return apex === null ? null : apexTrigger(made, apex);
  });
  const keeper = createStateKeeper(org);
  keeper.load();
  await foundOrg(org);
  const sessions = createSessions(org.clock, settings.sessionTimeoutMs);
  const journal = createJournal();
  const inside = lookInside(org);
  const leaf = createLeaves();
  const cometd = createCometd(org, sessions);
  const api = createApi({ org, sessions, leaf, apex: apexEndpoints(org, apex), cometd });
  const inBetween = apexInBetween(org, apex);
  const pages = createPages({ org, inside, journal, sessions });
  const service = createService({ org, journal, api, inside: pages });
  const site = await openSite({
    place: settings,
    requestMs: REQUEST_MS,
    longestHead: LONGEST_HEAD,
    longestBody: LONGEST_BODY,
    misdirected: failure(421, 'MISDIRECTED', 'This org answers to its own name only.'),
    mistake: failure(500, 'UNKNOWN_EXCEPTION', 'An unexpected error occurred.'),
  });
  const { origin } = site;
  org.home.origin = origin;
  site.serve(service);

  const { add, remove, clear, list } = org.faults;
  return {
    origin,
    loginUrl: origin,
    instanceUrl: origin,
    now: org.clock.now,
    advance: org.clock.advance,
    faults: { add, remove, clear, list },
    calls: org.counter.calls,
    org: inside,
    inBetween: (path, body) =>
      inBetween({ method: 'POST', path, body: Buffer.from(JSON.stringify(body)) }),
    expireSessions: sessions.endAll,
    listeners: {
      get waiting() {
        return cometd.polling;
      },
      forget: cometd.forgetClients,
    },
    exportState: keeper.export,
    importState: keeper.import,
    async close() {
      org.faults.clear(); // lets go of what a fault holds
      await site.close();
      keeper.close();
    },
  };
}

function failure(status: number, errorCode: string, message: string): Answer {
  return json(status, [{ errorCode, message }]);
}

/** The records that an org has from its first day: itself, and its users. */
async function foundOrg(org: Org): Promise<void> {
  const organizations = org.schema.require('Organization');
  const users = org.schema.require('User');
  const caller = { userId: '', strikes: NO_FAULTS };
  await org.transact(caller, async (work) => {
    const known = [...work.tx.rows(organizations)][0]?.Id;
    org.home.organizationId =
      known ??
      (await org.dml.seed(work, organizations, {
        Name: 'Millrace Sandbox',
        InstanceName: 'SIM1',
        OrganizationType: 'Developer Edition',
        IsSandbox: true,
      }));
    for (const { username, name = username, email = null } of org.settings.users) {
      if (findUser(org, username) !== undefined) continue;
      const [first, ...rest] = name.split(' ');
      await org.dml.seed(work, users, {
        Username: username,
        FirstName: rest.length === 0 ? null : (first ?? null),
        LastName: rest.length === 0 ? name : rest.join(' '),
        Email: email,
        Alias: username.slice(0, 8),
      });
    }
  });
}
