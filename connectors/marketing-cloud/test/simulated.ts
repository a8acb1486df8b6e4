import { onTestFinished } from 'vitest';
import {
  type MarketingCloud as Simulator,
  type MarketingCloudOptions,
  startMarketingCloud,
} from '@millrace/simulator-marketing-cloud';
import type { BusinessUnit } from '../src/index.ts';

import { type Connected, connect } from './cloud.ts';

// A simulated Marketing Cloud whose every query gives the same five rows, and a connector that shares its clock.

export const MID = '100001';
export const OTHER = '100002';
export const ROWS = Array.from({ length: 5 }, (_, n) => ({ name: `00${n}`, amount: `${n}.50` }));

export interface World extends Connected {
  readonly sim: Simulator;
}

export async function start(options: MarketingCloudOptions = {}): Promise<World> {
  const sim = await startMarketingCloud({
    units: [MID, OTHER],
    sample: false,
    runSql: async () => ({
      columns: ['Name', 'Amount'],
      rows: ROWS.map((row) => ({ Name: row.name, Amount: row.amount })),
    }),
    ...options,
  });
  onTestFinished(() => sim.close());
  const slept: number[] = [];
  const connected = connect(
    { url: sim.authUrl },
    { clientId: 'millrace', clientSecret: 'secret' },
    {
      now: sim.now,
      sleep: async (ms) => {
        slept.push(ms);
        sim.advance(ms);
      },
    },
  );
  return { ...connected, slept, unit: connected.cloud.businessUnit(MID), sim };
}

export const TARGET = {
  name: 'Result of run 1',
  customerKey: 'mr_run_1',
  fields: [
    { name: 'Name', type: 'Text', maxLength: 50, isRequired: true },
    { name: 'Amount', type: 'Decimal', maxLength: 18, scale: 2 },
  ],
} as const;
export const SQL = `SELECT Name, Amount FROM People WHERE Name <> ']]>' AND 1 < 2 AND '&amp;' = "x"\r\n-- 東京 😀`;
export const QUERY = { name: 'Query of run 1', customerKey: 'mr_q_1', sql: SQL, target: TARGET };

export async function started(unit: BusinessUnit): Promise<{ objectId: string; taskId: string }> {
  await unit.createDataExtension(TARGET);
  const { objectId } = await unit.createQuery(QUERY);
  return { objectId, ...(await unit.startQuery(objectId)) };
}
