import { ROLES, type RouteName, contracts } from '@millrace/api';
import { describe, expect, test } from 'vitest';
import { claims, harness, issuer, useOneIssuer } from '../../test/issuer.ts';

// An app takes about 40 ms to make, and nothing here changes it.
useOneIssuer();

describe('roles', () => {
  const routes = (Object.keys(contracts) as RouteName[]).filter((name) => name !== 'events');

  const tokens = new Map<string, Promise<string>>();
  function tokenOf(roles: readonly string[]): Promise<string> {
    const token = tokens.get(roles.join()) ?? issuer.sign(claims({ roles: [...roles] }));
    tokens.set(roles.join(), token);
    return token;
  }

  async function ask(name: RouteName, roles: readonly string[]): Promise<{ code?: string }> {
    const { method, path } = contracts[name];
    const response = await harness.app.inject({
      method,
      url: path.replaceAll(/:\w+/g, 'x'),
      headers: { authorization: `Bearer ${await tokenOf(roles)}` },
    });
    return response.headers['content-type']?.toString().includes('json') === true
      ? response.json<{ code?: string }>()
      : {};
  }

  test.each(routes)('%s is for whom the table says', async (name) => {
    const access = contracts[name].access;
    const least = ROLES.indexOf(access as never);
    for (const [index, role] of [[], ...ROLES.map((each) => [each])].entries()) {
      const { code } = await ask(name, role);
      // Index 0 has no role at all.
      expect(code === 'role_missing', `${name} as ${role.join()}`).toBe(index - 1 < least);
    }
  });

  test('of another service mean nothing', async () => {
    expect(await ask('listJobs', ['Viewer', 'owner', 'administrator'])).toMatchObject({
      code: 'role_missing',
    });
  });
});
