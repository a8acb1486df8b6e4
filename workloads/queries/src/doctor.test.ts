import { readFileSync } from 'node:fs';
import {
  type MarketingCloud,
  type MarketingCloudOptions,
  startMarketingCloud,
} from '@millrace/simulator-marketing-cloud';
import type { Finding } from '@millrace/workload-kit';
import { afterEach, expect, test } from 'vitest';
import type { MidOfTenant } from './mids.ts';
import { SCOPES, examine } from './doctor.ts';

/** What `millrace doctor` says of an account, asked of the simulated Marketing Cloud. */

const CLIENT = { clientId: 'package', secret: 'secret' };
const UNITS: readonly MidOfTenant[] = [
  { tenant: 'acme', mid: '100001' },
  { tenant: 'globex', mid: '100001' },
  { tenant: 'globex', mid: '100002' },
];

let cloud: MarketingCloud | null = null;
afterEach(async () => {
  await cloud?.close();
  cloud = null;
});

async function start(options: MarketingCloudOptions = {}): Promise<MarketingCloud> {
  const units = ['100001', '100002'];
  cloud = await startMarketingCloud({ clients: [CLIENT], units, sample: false, ...options });
  return cloud;
}

async function findings({ authUrl }: { authUrl: string }, clientSecret = CLIENT.secret) {
  const { clientId } = CLIENT;
  const account = { authUrl, clientId, clientSecret, mids: UNITS };
  return all(examine({ accounts: [account] }));
}

async function all(found: AsyncIterable<Finding>): Promise<Finding[]> {
  const list: Finding[] = [];
  for await (const each of found) list.push(each);
  return list;
}

test('without an account there is nothing to look at', async () => {
  expect(await all(examine({ accounts: [] }))).toMatchObject([
    { check: 'Marketing Cloud', verdict: 'ok', advice: null },
  ]);
});

test('each business unit is looked at once, by one token and no other call', async () => {
  const sim = await start();
  expect(await findings(sim)).toMatchObject([
    { check: 'Marketing Cloud (100001)', verdict: 'ok' },
    { check: 'Marketing Cloud (100002)', verdict: 'ok' },
  ]);
  expect([sim.calls.tokens, sim.calls.total]).toEqual([2, 0]);
});

test('scopes that are missing are named', async () => {
  const scopes = SCOPES.filter((scope) => !scope.startsWith('automations_'));
  const [first] = await findings(await start({ clients: [{ ...CLIENT, scopes }] }));
  expect(first).toMatchObject({
    verdict: 'missing',
    found: 'The installed package lacks automations_read, automations_write, automations_execute.',
  });
});

test('a business unit that the package is not enabled for is missing, and the others are still looked at', async () => {
  const mids = ['100002'];
  const verdicts = (await findings(await start({ clients: [{ ...CLIENT, mids }] }))).map(
    ({ verdict }) => verdict,
  );
  expect(verdicts).toEqual(['missing', 'ok']);
});

test('a wrong secret is missing, and is not repeated', async () => {
  const found = await findings(await start(), 'not-the-secret');
  expect(found).toMatchObject([
    { verdict: 'missing', advice: expect.stringContaining('MCE_CLIENT_SECRET') as unknown },
    { verdict: 'missing' },
  ]);
  expect(JSON.stringify(found)).not.toContain('not-the-secret');
});

test('an account that does not answer is missing: nothing would run', async () => {
  const sim = await start();
  sim.faults.add({ kind: 'gateway', operation: 'auth:token' });
  expect((await findings(sim)).map(({ verdict }) => verdict)).toEqual(['missing', 'missing']);
});

test('the scopes that are asked for are those that people are asked to grant', () => {
  const readme = new URL('../../../connectors/marketing-cloud/README.md', import.meta.url);
  const text = readFileSync(readme, 'utf8');
  expect(SCOPES.filter((scope) => !text.includes(`\`${scope}\``))).toEqual([]);
});
