import { times, together } from '@millrace/store-contract';
import { expect } from 'vitest';
import { type ServiceHarness, describeService } from './harness.ts';

export function describeNames(name: string, start: () => Promise<ServiceHarness>): void {
  describeService(`names: ${name}`, start, (check) => {
    check('a subject keeps the name that it came with first', async ({ store: { names } }) => {
      expect(await names.take({ name: 'ada', subject: 's-1' })).toBe('ada');
      expect(await names.take({ name: 'ada lovelace', subject: 's-1' })).toBe('ada');
      expect(await names.take({ name: 'ada lovelace', subject: 's-2' })).toBe('ada lovelace');
    });

    check('a name belongs to one subject', async ({ store: { names } }) => {
      await names.take({ name: 'ada', subject: 's-1' });
      expect(await names.take({ name: 'ada', subject: 's-2' })).toBeNull();
      expect(await names.take({ name: 'user:s-2', subject: 's-2' })).toBe('user:s-2');
    });

    check('of many who come at once, one has the name', async ({ store: { names } }) => {
      const subjects = times(20, (nth) => `s-${nth % 10}`);
      const answers = await together(subjects, (subject) => names.take({ name: 'ada', subject }));
      expect(new Set(answers)).toEqual(new Set(['ada', null]));
      expect(answers.filter((each) => each === 'ada')).toHaveLength(2);
    });
  });
}
