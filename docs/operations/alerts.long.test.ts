import { expect, it } from 'vitest';
import { promtool } from '../test/promtool.ts';

it('alerts.yml fires when it should, and only then', { timeout: 120_000 }, async () => {
  const said = await promtool(['test', 'rules', 'alerts.test.yml'], import.meta.dirname);
  expect(said).toContain('SUCCESS');
});
