import type { Site } from '@millrace/simulator-kit';
import type { Calls } from './calls.ts';
import { type Cloud, createCloud } from './cloud.ts';
import type { Task } from './data/account.ts';
import type { Faults } from './faults.ts';
import { openAddress } from './http/address.ts';
import { type Service, createService } from './http/service.ts';
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
  /** The data of a business unit, past the API. Throws for a MID that is not there. */
  unit(mid: string): UnitInside;
  /** Ends with the task; null: there is no such task. */
  taskEnded(taskId: string): Promise<Task> | null;
  /** Ends when no SQL is under way any more, and what followed from it is done. */
  settled(): Promise<void>;
  expireTokens(): void;
  close(): Promise<void>;
}

/** 28 letters, as the subdomain of a tenant has. */
const TENANT_HOST = 'https://mcsimulated-simulated-simula.auth.marketingcloudapis.com/';

export async function startMarketingCloud(
  options: MarketingCloudOptions = {},
): Promise<MarketingCloud> {
  const site = await openAddress(settle(options));
  const { service, cloud, end } = serveMarketingCloud(options, site);
  site.serve(service);

  const { add, remove, clear, list } = cloud.faults;
  const { origin } = site;
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
      cloud.faults.clear(); // lets go of what a fault holds
      await site.close();
      await end();
    },
  };
}

/** A simulator that answers at an address. */
export interface Served {
  readonly cloud: Cloud;
  readonly service: Service;
  end(): Promise<void>;
}

export function serveMarketingCloud(options: MarketingCloudOptions, { origin }: Site): Served {
  const cloud = createCloud(settle(options));
  cloud.home.origin = origin;
  return {
    cloud,
    service: createService(cloud, createPages(cloud)),
    async end() {
      cloud.tasks.close();
      cloud.faults.clear();
      await cloud.tasks.settled();
      await cloud.runner.close();
    },
  };
}
