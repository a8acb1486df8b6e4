import { expect, test } from 'vitest';
import { logNotify } from './store.ts';

function heard(...arrives: boolean[]): string[] {
  const lines: string[] = [];
  const say = (level: string) => (_: object, message: string) =>
    void lines.push(`${level} ${message}`);
  const notify = logNotify({ info: say('info'), warn: say('warn'), error: say('error') });
  arrives.forEach(notify);
  return lines;
}

const POLL = expect.stringMatching(/^warn no notification .* poll$/) as string;

test('notifications that stop or start to arrive are a line each; at the start only that they do not', () => {
  expect(heard(true)).toEqual([]);
  expect(heard(false)).toEqual([POLL]);
  expect(heard(true, false, true, false)).toEqual([
    POLL,
    'info notifications of the database arrive',
    POLL,
  ]);
});
