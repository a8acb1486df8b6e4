import { type Handler, json } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { Refusal } from '../refusal.ts';

export function jwksEndpoint({ keys, faults }: Issuer): Handler {
  return async () => {
    while (faults.current === 'jwks-slow') await faults.change();
    if (faults.current === 'jwks-down') {
      throw new Refusal('temporarily_unavailable', 'The keys are not available.', 503);
    }
    const answer = json(200, keys.published(), { 'cache-control': 'public, max-age=300' });
    if (faults.current !== 'jwks-garbage') return answer;
    return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
  };
}
