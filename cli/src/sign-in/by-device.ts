import type { Context } from '../context.ts';
import { isPassing } from '../failure.ts';
import { clean } from '../render/width.ts';
import type { DeviceSignIn, Grant, Issuer } from './issuer.ts';
import { SignInError } from './sign-in-error.ts';

/** RFC 8628, 3.5: what an issuer that is asked too often wants. */
const SLOWER_MS = 5_000;

/** The person signs in wherever they have a browser, and types a code there; this process waits. */
export async function signInByDevice(
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
    if (isPassing(thrown)) return 'slower';
    throw thrown;
  }
}
