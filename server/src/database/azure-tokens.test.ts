import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ManagedIdentity, startManagedIdentity } from '../../test/managed-identity.ts';
import { AZURE_RESOURCES, type AzureTokenParams, createAzureTokens } from '@millrace/workload-kit';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let azure: ManagedIdentity;
let now: number;
let pauses: number[];

beforeEach(async () => {
  azure = await startManagedIdentity();
  now = Date.now();
  pauses = [];
  azure.issue('first', now + HOUR);
});
afterEach(() => azure.close());

function tokens(params: Partial<AzureTokenParams> = {}) {
  return createAzureTokens({
    resource: AZURE_RESOURCES.postgres,
    endpoint: azure.endpoint,
    clientId: null,
    now: () => now,
    metadataService: azure.metadataService,
    pause: async (ms) => void pauses.push(ms),
    ...params,
  });
}

describe('a token of a managed identity', () => {
  test('comes from the endpoint of App Service and Container Apps', async () => {
    expect(await tokens().password()).toBe('first');
    expect(azure.asked).toEqual([
      { 'api-version': '2019-08-01', resource: 'https://ossrdbms-aad.database.windows.net' },
    ]);
  });

  test('comes from the metadata service where there is no such endpoint', async () => {
    expect(await tokens({ endpoint: null, clientId: '5e29463d' }).password()).toBe('first');
    expect(azure.asked).toEqual([
      {
        'api-version': '2018-02-01',
        resource: 'https://ossrdbms-aad.database.windows.net',
        client_id: '5e29463d',
      },
    ]);
  });

  test('is kept until shortly before its end, and asked for once by all who wait', async () => {
    const { password } = tokens();
    expect(await Promise.all([password(), password(), password()])).toEqual(
      Array.from({ length: 3 }, () => 'first'),
    );
    now += HOUR - 6 * MINUTE;
    expect(await password()).toBe('first');
    expect(azure.asked).toHaveLength(1);
    azure.issue('second', now + HOUR);
    now += 2 * MINUTE;
    expect(await password()).toBe('second');
    expect(azure.asked).toHaveLength(2);
  });

  test('that is not ended yet is used on while no new one can be had', async () => {
    const { password } = tokens();
    await password();
    const wrong = { status: 400, body: { error: 'invalid_request' } };
    azure.faults.push(wrong, wrong);
    now += HOUR - MINUTE;
    expect(await password()).toBe('first');
    now += 2 * MINUTE;
    await expect(password()).rejects.toThrow('refused with 400 (invalid_request)');
  });

  test('that the database refused is asked for again', async () => {
    const credential = tokens();
    await credential.password();
    azure.issue('second', now + HOUR);
    credential.refused?.();
    expect(await credential.password()).toBe('second');
  });

  test.each([404, 410, 429, 500, 503])('is asked for again after a %i', async (status) => {
    azure.faults.push({ status, body: {} }, { status, body: {} });
    expect(await tokens().password()).toBe('first');
    expect(pauses).toEqual([1_000, 2_000]);
  });

  test('is given up after three such answers', async () => {
    azure.faults.push(...Array.from({ length: 3 }, () => ({ status: 503, body: {} })));
    await expect(tokens().password()).rejects.toThrow('busy or updating');
  });

  test.each([
    { access_token: 'secret-token' },
    { access_token: '', expires_on: '1' },
    { access_token: 'secret-token', expires_on: 'tomorrow' },
    'secret-token',
    null,
  ])('is not %j, and what came is not repeated', async (body) => {
    azure.faults.push({ status: 200, body });
    const error = (await tokens()
      .password()
      .catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain('no token');
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('secret');
  });

  test('is no answer without an end', async () => {
    azure.faults.push('endless');
    await expect(tokens().password()).rejects.toThrow('larger than');
  });

  test('is not to be had where nothing listens, in words', async () => {
    const gone = await startManagedIdentity();
    await gone.close();
    await expect(tokens({ endpoint: gone.endpoint }).password()).rejects.toThrow(
      /managed identity cannot be asked: .*ECONNREFUSED/,
    );
  });
});
