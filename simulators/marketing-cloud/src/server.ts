import { json, openSite } from '@millrace/simulator-kit';
import type { Calls } from './calls.ts';
import { createCloud } from './cloud.ts';
import type { Task } from './data/account.ts';
import type { Faults } from './faults.ts';
import { createService } from './http/service.ts';
import { type UnitInside, lookInside } from './inside.ts';
import { type MarketingCloudOptions, settle } from './options.ts';
import { createPages } from './sim/pages.ts';

export interface MarketingCloud {
  readonly origin: string;
  /** Where tokens are asked for. SOAP and REST are at the same place. */
  readonly authUrl: string;
  /** The same, in the form that sfmc-sdk asks for: a path that has the name of a real host in it. */
  readonly sdkAuthUrl: string;
  now(): number;
  /** Moves the clock: tokens expire, queries start, run and end. */
  advance(ms: number): void;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly mids: readonly string[];
  /** What a business unit has, past the API. Throws for a MID that is not there. */
  unit(mid: string): UnitInside;
  /** Ends with the task; null: there is no such task. */
  taskEnded(taskId: string): Promise<Task> | null;
  /** Ends when no SQL is under way any more, and what followed from it is done. */
  settled(): Promise<void>;
  expireTokens(): void;
  close(): Promise<void>;
}

/** Slow senders are cut off after this long. */
const REQUEST_MS = 60_000;
const LONGEST_BODY = 8 * 2 ** 20;
/** 28 letters, as the subdomain of a tenant has. */
const TENANT_HOST = 'https://mcsimulated-simulated-simula.auth.marketingcloudapis.com/';

export async function startMarketingCloud(
  options: MarketingCloudOptions = {},
): Promise<MarketingCloud> {
  const settings = settle(options);
  const cloud = createCloud(settings);
  const site = await openSite({
    place: settings,
    requestMs: REQUEST_MS,
    longestBody: LONGEST_BODY,
    misdirected: json(421, { message: 'This simulator answers to its own name only.' }),
    mistake: json(500, { message: 'Internal Server Error' }),
  });
  const { origin } = site;
  cloud.home.origin = origin;
  site.serve(createService(cloud, createPages(cloud)));

  const { add, remove, clear, list } = cloud.faults;
  return {
    origin,
    authUrl: origin,
    sdkAuthUrl: `${origin}/${TENANT_HOST}`,
    now: cloud.clock.now,
    advance: cloud.clock.advance,
    faults: { add, remove, clear, list },
    calls: cloud.counter.calls,
    mids: [...cloud.units.keys()],
    unit: (mid) => lookInside(cloud, mid),
    taskEnded(taskId) {
      for (const unit of cloud.units.values()) {
        const task = unit.tasks.get(taskId);
        if (task !== undefined) return cloud.tasks.ended(task);
      }
      return null;
    },
    settled: cloud.tasks.settled,
    expireTokens: cloud.tokens.endAll,
    async close() {
      cloud.tasks.close();
      cloud.faults.clear(); // lets go of what a fault holds
      await site.close();
      await cloud.tasks.settled();
      await cloud.runner.close();
    },
  };
}
