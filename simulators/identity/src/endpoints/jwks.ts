import { json } from '@millrace/simulator-kit';
import type { Handler } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { Refusal } from '../refusal.ts';

export function jwksEndpoint({ keys }: Issuer): Handler {
  return async ({ strikes }) => {
    await strikes.held('jwks-slow');
    if (strikes.strikes('jwks-down') !== null) {
      throw new Refusal('temporarily_unavailable', 'The keys are not available.', 503);
    }
    const answer = json(200, keys.published(), { 'cache-control': 'public, max-age=300' });
    if (strikes.strikes('jwks-garbage') === null) return answer;
    return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
  };
}
