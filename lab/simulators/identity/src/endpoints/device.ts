import { type Device, DEVICE_CODE_SECONDS, POLL_SECONDS } from '../devices.ts';
import { type Handler, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { codePage, messagePage } from '../pages.ts';
import { Refusal } from '../refusal.ts';
import type { Transaction } from '../transactions.ts';
import { openSignIn } from './login.ts';
import { json } from '@millrace/simulator-kit';
import { isPublic } from '../directory.ts';
import { parseScopes } from '../scopes.ts';
import { authenticate } from './client-authentication.ts';

/** Where a person types their code, and then signs in. */
export function deviceEndpoint(issuer: Issuer): Handler {
  return ({ query }) => {
    const typed = readParams(query).get('user_code');
    if (typed === undefined) return codePage(issuer.paths.device, '', null);
    const device = issuer.devices.find(typed);
    if (device === null) {
      const wrong = 'No program waits for this code. It may have expired or been used.';
      return codePage(issuer.paths.device, typed.slice(0, 20), wrong);
    }
    return openSignIn(issuer, transactionFor(issuer, device));
  };
}

function transactionFor({ devices, sessions }: Issuer, device: Device): Transaction {
  const { client, scopes, userCode } = device;
  const checkWaiting = () => {
    if (!devices.isWaiting(device)) {
      throw new Refusal('invalid_request', 'This code has expired or was used. Start again.');
    }
  };
  return {
    client,
    userCode,
    returnsTo: null,
    accept(user) {
      checkWaiting();
      device.decision = sessions.start(user, client, scopes);
      return messagePage(200, 'You are signed in', 'You can close this window.');
    },
    refuse() {
      checkWaiting();
      device.decision = 'denied';
      return messagePage(200, 'You did not sign in', 'You can close this window.');
    },
  };
}

export function deviceAuthorizationEndpoint(issuer: Issuer): Handler {
  const { devices, origin, paths, settings } = issuer;
  return (incoming) => {
    const params = readParams(incoming.form());
    const client = authenticate(issuer, incoming, params);
    if (!isPublic(client)) {
      throw new Refusal('unauthorized_client', 'Device codes are for clients without a secret.');
    }
    const device = devices.start(client, parseScopes(params.get('scope'), settings.api));
    const page = origin + paths.device;
    return json(200, {
      device_code: device.code,
      user_code: device.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${device.userCode}`,
      expires_in: DEVICE_CODE_SECONDS,
      interval: POLL_SECONDS,
      message: `To sign in, open ${page} in a browser and type the code ${device.userCode}.`,
    });
  };
}
