import type { Me, SignIn } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { type Values, flag } from '../../line/option.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import { signInByBrowser } from '../../sign-in/by-browser.ts';
import { signInByDevice } from '../../sign-in/by-device.ts';
import type { Grant, Issuer } from '../../sign-in/issuer.ts';
import { SignInError } from '../../sign-in/sign-in-error.ts';
import { checkServer, issuerFor } from '../../connection/token.ts';
import { UsageError } from '../../line/usage-error.ts';

const options = {
  device: flag('Shows a code to type in any browser, on any machine.'),
  'no-browser': flag('Only shows the address, for a browser on this machine.'),
};

export const login = defineCommand({
  name: 'login',
  summary: 'Signs you in to the server, until "millrace logout".',
  usage: ['[options]'],
  words: { least: 0, most: 0 },
  options,
  examples: ['millrace login', 'millrace login --device --url https://millrace.example.com'],
  async run(context, { options: given }) {
    if (given.device && given['no-browser']) {
      throw new UsageError('Give either --device or --no-browser.');
    }
    const { world, url, credentials, note } = context;
    const place = await context.signIn();
    if (!place.required) return notNeeded(context);
    checkServer(url);
    const account = accountOf(place, url);
    const issuer = await issuerFor(world, account);
    const grant = await signInWith(context, issuer, place.scope, given);
    await credentials.update(url, () => Promise.resolve({ ...account, ...grant }));
    show(context, await context.clientWith(grant.accessToken).me());
    const first = ['MILLRACE_TOKEN', 'MILLRACE_CLIENT_SECRET'].find((name) => world.env[name]);
    if (first !== undefined) note(`${first} is set and overrides this sign-in.`);
    return EXIT.ok;
  },
});

function notNeeded({ json, out, url, document }: Context): number {
  if (json) document({ url, required: false });
  else out.line(`${url} needs no sign-in.`);
  return EXIT.ok;
}

function accountOf({ issuer, clientId }: SignIn, url: string) {
  if (issuer !== null && clientId !== null) return { issuer, clientId };
  throw new SignInError(
    'refused',
    `${url} has no OAuth client for sign-in. Use MILLRACE_TOKEN, or MILLRACE_CLIENT_ID and MILLRACE_CLIENT_SECRET.`,
  );
}

/** A code where no browser of this machine can be seen; the browser where there are no codes. */
function signInWith(
  context: Context,
  issuer: Issuer,
  scope: string | null,
  given: Values<typeof options>,
): Promise<Grant> {
  if (given.device && !issuer.hasDeviceCode) {
    throw new SignInError(
      'refused',
      'The issuer does not support device codes. Leave --device out.',
    );
  }
  const openBrowser = context.err.isTerminal ? context.world.openBrowser : null;
  const isBlind = openBrowser === null && !given['no-browser'] && issuer.hasDeviceCode;
  if (given.device || isBlind) return signInByDevice(context, issuer, scope);
  return signInByBrowser(context, {
    issuer,
    scope,
    openBrowser: given['no-browser'] ? null : openBrowser,
  });
}

function show({ json, quiet, out, url, document, world }: Context, me: Me): void {
  if (json) return document({ url, ...me });
  if (quiet) return;
  const roles = me.roles.length === 0 ? 'without a role' : me.roles.join(', ');
  const until =
    me.expiresAt === null ? '' : ` The token ends ${relative(me.expiresAt, world.now())}.`;
  out.line(clean(`Signed in to ${url} as ${me.name} (${roles}).${until}`));
}
