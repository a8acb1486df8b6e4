import type { Context } from '../context.ts';
import type { Grant, Issuer } from './issuer.ts';
import { openRedirect } from './redirect.ts';

export interface BrowserParams {
  readonly issuer: Issuer;
  readonly scope: string | null;
  /** Null: only the address is shown. */
  readonly openBrowser: ((address: string) => void) | null;
}

/** The person signs in with a browser of this machine, which then comes back here with a code. */
export async function signInByBrowser(
  { world, err, json, document }: Context,
  { issuer, scope, openBrowser }: BrowserParams,
): Promise<Grant> {
  const redirect = await openRedirect(world.interrupted);
  try {
    const { address, state, finish } = await issuer.byBrowser(scope, redirect.uri);
    if (json) document({ address });
    else if (openBrowser === null) err.line(`Sign in with a browser on this machine:\n${address}`);
    else err.line(`Opening your browser. If it does not open, sign in at:\n${address}`);
    openBrowser?.(address);
    const { answer, show } = await redirect.receive(state, () => {
      if (!json) err.line('Ignored an answer of another sign-in.');
    });
    try {
      const grant = await finish(answer);
      await show('You are signed in; you can close this window.');
      return grant;
    } catch (thrown) {
      await show('Sign-in failed. The terminal says why; you can close this window.');
      throw thrown;
    }
  } finally {
    redirect.close();
  }
}
