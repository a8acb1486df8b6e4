import { describe, expect, test } from 'vitest';
import { createBudget } from './budget.ts';

function open() {
  const at = { now: 1_000 };
  const warnings: string[] = [];
  const log = {
    info: () => {},
    error: () => {},
    warn: (_fields: object, message: string) => warnings.push(message),
  };
  return { at, warnings, budget: createBudget(() => at.now, log) };
}

describe('the budget', () => {
  test('is unknown before the first answer, and after headers that tell nothing', () => {
    const { budget } = open();
    for (const header of [undefined, '', 'per-app-api-usage=1/2', 'api-usage=1/0', 'api-usage=x/9'])
      budget.note(header);
    expect(budget.read()).toEqual({ level: 'unknown' });
  });

  test.each([
    ['api-usage=69/100', 'fine'],
    ['api-usage=70/100', 'slow'],
    ['api-usage=8999/10000; per-app-api-usage=17/250(appName=sample)', 'slow'],
    ['api-usage=90/100', 'stop'],
    ['per-app-api-usage=1/250, api-usage=120/100', 'stop'],
  ])('%s is %s', (header, level) => {
    const { budget } = open();
    budget.note(header);
    expect(budget.read()).toMatchObject({ level, at: 1_000 });
  });

  test('warns once per level, and again when it comes back', () => {
    const { budget, warnings } = open();
    for (const used of [10, 71, 72, 91, 92, 10, 75]) budget.note(`api-usage=${used}/100`);
    expect(warnings.map((text) => text.slice(0, 4))).toEqual(['71 %', '91 %', '75 %']);
  });

  test('holds batch back for a minute when the limit is used up, and never interactive', () => {
    const { budget, at } = open();
    budget.exceeded();
    at.now += 59_999;
    expect(() => budget.admit('batch')).toThrow(
      expect.objectContaining({ code: 'limit_exceeded', kind: 'limit', outcome: 'notSent' }),
    );
    expect(() => budget.admit('interactive')).not.toThrow();
    at.now += 1;
    expect(() => budget.admit('batch')).not.toThrow();
  });
});
