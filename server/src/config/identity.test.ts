import { describe, expect, test } from 'vitest';
import { ISSUER, problems } from '../../test/config.ts';
import { readConfig } from './config.ts';

describe('the configuration of identity', () => {
  const BYPASS = { AUTH_BYPASS_DEVELOPMENT: 'true' };
  const DEVELOPMENT = { NODE_ENV: 'development' };

  test('is an issuer where there is one', () => {
    expect(readConfig({ ...ISSUER, MILLRACE_CLIENT_ID: 'public-1' }).identity).toEqual({
      mode: 'issuer',
      issuers: ['https://login.example/t/v2.0'],
      audiences: ['api://millrace', '1f0c5e0a'],
      jwksUri: 'https://login.example/t/keys',
      clientId: 'public-1',
    });
  });

  test.each(Object.keys(ISSUER))('refuses an issuer without %s', (name) => {
    const { [name as keyof typeof ISSUER]: _, ...rest } = ISSUER;
    expect(problems(rest)).toEqual([expect.stringContaining(`${name}: is missing`)]);
  });

  test.each([
    ['ISSUER', 'https://sts.example/1f0c/,https://login.example/TENANT/v2.0', 'TENANT'],
    ['JWKS_URI', 'https://login.example/TENANT/discovery/v2.0/keys', 'TENANT'],
    ['AUDIENCE', '1f0c,api://CLIENT-ID', 'CLIENT-ID'],
    ['MILLRACE_CLIENT_ID', 'PUBLIC-CLIENT-ID', 'PUBLIC-CLIENT-ID'],
  ])('refuses in %s the word of the guide', (name, value, word) => {
    expect(problems({ ...ISSUER, [name]: value })).toEqual([
      `${name}: "${word}" stands for your own. Write the GUID in its place (docs/identity.md).`,
    ]);
  });

  const GUID = '5d2f6c3e-8a41-4c7b-9d7e-1b0a4f6e2c90';

  test.each([
    'https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0',
    'https://login.microsoftonline.com/common/v2.0',
    `https://login.microsoftonline.com/${GUID}`,
    `https://login.microsoftonline.com/${GUID}/v2.0/`,
    `https://login.microsoftonline.com/${GUID.toUpperCase()}/v2.0`,
    `https://sts.windows.net/${GUID}`,
  ])('refuses %s, which is in no token of Entra ID', (issuer) => {
    expect(problems({ ...ISSUER, ISSUER: `https://login.example/t,${issuer}` })).toEqual([
      expect.stringContaining(`ISSUER: no token of Entra ID names "${issuer}". Write https://`),
    ]);
  });

  test('takes both issuers that Entra ID has', () => {
    const both = `https://login.microsoftonline.com/${GUID}/v2.0,https://sts.windows.net/${GUID}/`;
    expect(readConfig({ ...ISSUER, ISSUER: both }).identity).toMatchObject({
      issuers: both.split(','),
    });
  });

  test('takes what only looks like such a word', () => {
    const tenants = 'https://TENANT.example/TENANTS/tenant';
    const given = { ...ISSUER, ISSUER: tenants, AUDIENCE: 'MY-CLIENT-ID' };
    expect(readConfig(given).identity).toMatchObject({ issuers: [tenants] });
  });

  test('is nobody’s only with both variables', () => {
    expect(readConfig({ ...BYPASS, ...DEVELOPMENT }).identity).toEqual({ mode: 'bypass' });
    expect(problems(BYPASS)[0]).toContain('NODE_ENV=development');
    expect(problems({ ...BYPASS, NODE_ENV: 'test' })[0]).toContain('NODE_ENV=development');
    expect(problems({ ...BYPASS, ...DEVELOPMENT, ...ISSUER })[0]).toContain('contradicts');
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'millrace.example'])(
    'lets others reach it, on %s, only with an issuer',
    (HOST) => {
      expect(problems({ HOST })).toHaveLength(1);
      expect(problems({ HOST, ...BYPASS, ...DEVELOPMENT })).toHaveLength(1);
      expect(readConfig({ HOST, ...ISSUER }).host).toBe(HOST);
    },
  );

  test.each(['production', 'prod', 'staging', 'Development', 'dev'])(
    'has no sandbox and no bypass with NODE_ENV=%s',
    (NODE_ENV) => {
      expect(problems({ NODE_ENV })).toEqual([
        expect.stringContaining(`NODE_ENV=${NODE_ENV} needs`),
      ]);
      expect(problems({ NODE_ENV, ...BYPASS }).length).toBeGreaterThan(0);
      expect(problems({ NODE_ENV, ...ISSUER, SALESFORCE_SANDBOX: 'true' })).toEqual([
        expect.stringContaining('SALESFORCE_SANDBOX'),
      ]);
      expect(readConfig({ NODE_ENV, ...ISSUER }).identity).toMatchObject({ mode: 'issuer' });
    },
  );

  test.each([{}, { NODE_ENV: '' }, DEVELOPMENT, { NODE_ENV: 'test' }])(
    'is a sandbox on this machine with %o',
    (given) => {
      expect(readConfig(given).identity).toEqual({ mode: 'sandbox' });
    },
  );
});
