import type { Org } from '@millrace/workload-kit';
import { expect, test } from 'vitest';
import { templatesOf } from './orgs.ts';

const ID = '068000000000001AAA';

test('a tenant’s templates are in the orgs of the tenant', async () => {
  const asked: string[] = [];
  const org = (name: string, tenant: string) =>
    ({
      name,
      tenant,
      salesforce: {
        async download() {
          asked.push(name);
          return Buffer.from(name);
        },
      },
      store: { isTemplate: async (id: string) => id === ID },
    }) as unknown as Org;
  const orgs = [org('one', 'acme'), org('two', 'globex'), org('three', '')];
  const source = templatesOf(orgs, (_, run) => run());
  expect(source.has(ID)).toBe(true);
  expect(String(await source.fetch(ID, 'globex'))).toBe('two');
  expect(String(await source.fetch(ID, ''))).toBe('three');
  expect(await source.fetch(ID, 'initech')).toBeNull();
  expect(asked).toEqual(['two', 'three']);
  // A file that no template names is not even asked for.
  expect(await source.fetch('068000000000002AAA', 'globex')).toBeNull();
  expect(asked).toEqual(['two', 'three']);
});
