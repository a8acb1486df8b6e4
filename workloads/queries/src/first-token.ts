import { type MarketingCloud, MarketingCloudError } from '@millrace/marketing-cloud';
import type { CloudHealth } from './health.ts';

/**
 * Asks for a token of each business unit when the process starts, so that a wrong secret shows in the log and in /readyz before
 * somebody's query waits for it. The connector logs each refusal. Of an account on this machine nobody asks: that is a
 * simulator, which is not loaded before it is used.
 */
export async function askFirstTokens(
  cloud: Pick<MarketingCloud, 'scopes'>,
  {
    authUrl,
    mids,
  }: { readonly authUrl: string; readonly mids: readonly { readonly mid: string }[] },
  health: Pick<CloudHealth, 'onCall'>,
): Promise<void> {
  if (!authUrl.startsWith('https:')) return;
  for (const mid of new Set(mids.map((each) => each.mid))) {
    try {
      await cloud.scopes(mid);
    } catch (error) {
      if (!(error instanceof MarketingCloudError)) throw error;
      health.onCall({ mid, status: null, errorCode: error.code });
    }
  }
}
