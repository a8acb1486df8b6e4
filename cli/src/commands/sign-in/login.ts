import type { Me, SignIn } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { type Values, flag } from '../../line/option.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import type { DeviceSignIn, Grant, Issuer } from '../../sign-in/issuer.ts';
import { SignInError } from '../../sign-in/sign-in-error.ts';
import { checkServer, issuerFor } from '../../connection/token.ts';
import { UsageError } from '../../line/usage-error.ts';
import { openRedirect } from '../../sign-in/redirect.ts';
import { isTransient } from '../../failure.ts';

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
    showIdentity(context, await context.clientWith(grant.accessToken).me());
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

function showIdentity({ json, quiet, out, url, document, world }: Context, me: Me): void {
  if (json) return document({ url, ...me });
  if (quiet) return;
  const roles = me.roles.length === 0 ? 'without a role' : me.roles.join(', ');
  const until =
    me.expiresAt === null ? '' : ` The token ends ${relative(me.expiresAt, world.now())}.`;
  out.line(clean(`Signed in to ${url} as ${me.name} (${roles}).${until}`));
}

interface BrowserParams {
  readonly issuer: Issuer;
  readonly scope: string | null;
  /** Null: only the address is shown. */
  readonly openBrowser: ((address: string) => void) | null;
}

/** The person signs in with a browser of this machine, which then comes back here with a code. */
async function signInByBrowser(
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

/** RFC 8628, 3.5: what an issuer that is asked too often wants. */
const SLOWER_MS = 5_000;

/** The person signs in wherever they have a browser, and types a code there; this process waits. */
async function signInByDevice(
  context: Context,
  issuer: Issuer,
  scope: string | null,
): Promise<Grant> {
  const { world, err, json, document } = context;
  const device = await issuer.byDevice(scope);
  const { address, userCode, expiresAt } = device;
  if (json) document({ address, userCode, expiresAt: new Date(expiresAt).toISOString() });
  else err.line(clean(`Open ${address} in any browser and type the code ${userCode}`));
  let { pauseMs } = device;
  while (world.now() < expiresAt) {
    await world.wait(pauseMs);
    const answer = await ask(device);
    if (answer === 'slower') pauseMs += SLOWER_MS;
    else if (answer !== 'wait') return answer;
  }
  throw new SignInError('refused', 'The code expired before anyone signed in. Start again.');
}

/** A person is at it: an issuer that is away for a moment does not end it. */
async function ask(device: DeviceSignIn): Promise<Grant | 'wait' | 'slower'> {
  try {
    return await device.ask();
  } catch (thrown) {
    if (isTransient(thrown)) return 'slower';
    throw thrown;
  }
}
