import { json } from '@millrace/simulator-kit';
import { DEVICE_CODE_SECONDS, POLL_SECONDS } from '../devices.ts';
import { isPublic } from '../directory.ts';
import { type Handler, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { Refusal } from '../refusal.ts';
import { parseScopes } from '../scopes.ts';
import { authenticate } from './client-authentication.ts';

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
