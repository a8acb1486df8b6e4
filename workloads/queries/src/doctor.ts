import { MarketingCloudError, createMarketingCloud } from '@millrace/marketing-cloud';
import { type Finding, missing, there } from '@millrace/workload-kit';
import type { Account, QueriesConfig } from './settings.ts';

/** What the jobs of a run call, by the scope that the installed package needs for it. */
export const SCOPES = [
  'data_extensions_read',
  'data_extensions_write',
  'automations_read',
  'automations_write',
  'automations_execute',
] as const;

/** What queries stand on, for `millrace doctor`: one token for each business unit, and no other call. */
export async function* examine({
  accounts,
}: Pick<QueriesConfig, 'accounts'>): AsyncGenerator<Finding> {
  if (accounts.length === 0) {
    yield there(
      'Marketing Cloud',
      'No account is set: a sandbox has a simulated one, any other server runs no queries.',
    );
    return;
  }
  for (const account of accounts) yield* examineAccount(account);
}

async function* examineAccount({
  authUrl,
  clientId,
  clientSecret,
  mids,
}: Account): AsyncGenerator<Finding> {
  const cloud = createMarketingCloud({ authUrl, clientId, clientSecret, timeoutMs: 10_000 });
  try {
    for (const mid of new Set(mids.map((each) => each.mid))) {
      const name = `Marketing Cloud (${mid})`;
      try {
        const scopes = await cloud.scopes(mid);
        const lacking = SCOPES.filter((scope) => !scopes.includes(scope));
        yield lacking.length === 0
          ? there(name, 'It gives tokens, with every scope that queries need.')
          : missing(
              name,
              `The installed package lacks ${lacking.join(', ')}.`,
              'Add the scopes to the installed package: docs/queries.md lists them.',
            );
      } catch (error) {
        if (!(error instanceof MarketingCloudError)) throw error;
        const advice =
          'Check MCE_AUTH_URL, MCE_CLIENT_ID, MCE_CLIENT_SECRET and MCE_MIDS, or its entry in MCE_ACCOUNTS.';
        // Without an answer nothing runs either: whoever has set an account wants to know that it does not work.
        yield missing(name, error.message, advice);
      }
    }
  } finally {
    await cloud.close();
  }
}
