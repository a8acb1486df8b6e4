import { MarketingCloudError, createMarketingCloud } from '@millrace/marketing-cloud';
import { type Finding, missing, there, unknown } from '@millrace/workload-kit';
import type { QueriesConfig } from './settings.ts';

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
  account,
}: Pick<QueriesConfig, 'account'>): AsyncGenerator<Finding> {
  if (account === null) {
    yield there('Marketing Cloud', 'No account is set, so there are no queries.');
    return;
  }
  const { authUrl, clientId, clientSecret, mids } = account;
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
        const advice = 'Check MCE_AUTH_URL, MCE_CLIENT_ID, MCE_CLIENT_SECRET and MCE_MIDS.';
        yield error.kind === 'unavailable'
          ? unknown(name, error.message, advice)
          : missing(name, error.message, advice);
      }
    }
  } finally {
    await cloud.close();
  }
}
