import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import type { SignedIn } from '../../sign-in/credentials.ts';
import { SignInError } from '../../sign-in/sign-in-error.ts';
import { issuerFor } from '../../connection/token.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Signs you out of the server.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace logout'],
  async run(context) {
    const { credentials, url, json, quiet, out, document } = context;
    const kept = await credentials.find(url);
    if (kept !== null) await credentials.update(url, () => Promise.resolve(null));
    const revoked = kept !== null && (await revoke(context, kept));
    if (json) document({ url, signedOut: kept !== null, revoked });
    else if (!quiet)
      out.line(kept === null ? `You were not signed in to ${url}.` : `Signed out of ${url}.`);
    return EXIT.ok;
  },
});

/** Not every issuer can, and it may be away: what matters has been done on this machine. */
async function revoke({ world, note }: Context, kept: SignedIn): Promise<boolean> {
  if (kept.refreshToken === null) return false;
  try {
    return await (await issuerFor(world, kept)).revoke(kept.refreshToken);
  } catch (thrown) {
    if (!(thrown instanceof SignInError)) throw thrown;
    note(`The token could not be revoked at the issuer: ${thrown.message}`);
    return false;
  }
}
