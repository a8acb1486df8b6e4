import { createMarketingCloud } from '@millrace/marketing-cloud';
import { type MarketingCloud, startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VIEWS } from './views.ts';

/** What the catalogue offers can be tried out on the simulated Marketing Cloud. */
const CLIENT = { clientId: 'package', secret: 'secret' };
let cloud: MarketingCloud;
beforeAll(async () => {
  cloud = await startMarketingCloud({
    clients: [CLIENT],
    units: ['100001'],
    sample: false,
    sampleSize: 0.01,
    installDuckdb: true,
  });
}, 120_000);
afterAll(() => cloud.close());

test('each data view, with each of its fields', async () => {
  const unit = createMarketingCloud({
    authUrl: cloud.authUrl,
    clientId: CLIENT.clientId,
    clientSecret: CLIENT.secret,
  }).businessUnit('100001');
  for (const { name, fields } of VIEWS.values()) {
    const columns = fields.map((field, place) => `${field.name} AS c${place}`).join(', ');
    const answer = await unit.validate(`SELECT ${columns} FROM ${name}`);
    expect(answer, name).toMatchObject({ valid: true });
  }
  const wrong = await unit.validate('SELECT Nothing AS c0 FROM _Journey');
  expect(wrong).toMatchObject({ valid: false });
});
