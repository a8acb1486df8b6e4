import { type Answer, redirect } from '@millrace/simulator-kit';
import { type Handler, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { signInPage } from '../pages.ts';
import { Refusal } from '../refusal.ts';
import type { Transaction } from '../transactions.ts';
import { sameSecret } from '../identifiers.ts';
import { isLoopbackRedirect } from '../options.ts';

/** The sign-in page of a new transaction. */
export function openSignIn(issuer: Issuer, transaction: Transaction, username?: string): Answer {
  return show(issuer, issuer.transactions.open(transaction), transaction, username, null);
}

/** Where the sign-in form goes, whoever asked for it. */
export function loginEndpoint(issuer: Issuer): Handler {
  const { transactions, directory } = issuer;
  return (incoming) => {
    const params = readParams(incoming.form());
    const id = params.get('transaction') ?? '';
    const transaction = transactions.find(id);
    if (transaction === undefined) {
      throw new Refusal(
        'invalid_request',
        'This sign-in has ended or expired. Go back to where you came from and start again.',
      );
    }
    if (params.get('action') === 'cancel') {
      transactions.close(id);
      return transaction.refuse();
    }
    const username = params.get('username');
    const user = directory.signIn(username, params.get('password'));
    if (user === null) {
      return show(issuer, id, transaction, username, 'That is not the password of this user.');
    }
    transactions.close(id);
    return issuer.remembered.remember(user, transaction.accept(user));
  };
}

function show(
  { directory, paths }: Issuer,
  id: string,
  { client, userCode, returnsTo }: Transaction,
  username: string | undefined,
  wrong: string | null,
): Answer {
  return signInPage({
    users: directory.users,
    action: paths.login,
    transaction: id,
    clientName: client.name ?? client.id,
    userCode,
    returnsTo,
    username,
    wrong,
  });
}

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
