import { redirect } from '@millrace/simulator-kit';
import { type Handler, readParams } from '../http.ts';
import { sameSecret } from '../identifiers.ts';
import type { Issuer } from '../issuer.ts';
import { isLoopbackRedirect } from '../redirect-uri.ts';
import { Refusal } from '../refusal.ts';

/**
 * A link that signs somebody in at one click, for who starts the sandbox and reads it in their terminal. It stands for a browser
 * in which the person has signed in at Entra before. Its ticket is good until this process ends.
 */
export function enterEndpoint({ entrance, directory, remembered }: Issuer): Handler {
  return (incoming) => {
    const params = readParams(incoming.query);
    const user = directory.users.find(({ username }) => username === params.get('user'));
    const target = params.get('to') ?? '';
    if (user === undefined || !sameSecret(params.get('ticket') ?? '', entrance)) {
      throw new Refusal(
        'access_denied',
        'This link is of another start. The terminal has the new one.',
      );
    }
    if (!isLoopbackRedirect(target)) {
      throw new Refusal('invalid_request', 'The link leads away from this machine.');
    }
    return remembered.remember(user, redirect(target));
  };
}
