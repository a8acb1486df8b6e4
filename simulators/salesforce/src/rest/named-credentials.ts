import { notFound } from '../errors.ts';
import { type LeafHandler, methodNotAllowed } from './request.ts';

/** `GET …/named-credentials/named-credential-setup/{developerName}` (Connect REST API, "Named Credential", from 58.0 on). */
export const namedCredential: LeafHandler = async ({ org, request }) => {
  const [, setup, developerName = '', more] = request.segments;
  const calloutUrl = org.settings.namedCredentials[developerName];
  if (setup !== 'named-credential-setup' || more !== undefined || calloutUrl === undefined)
    throw notFound();
  if (request.method !== 'GET') throw methodNotAllowed(request.method, ['GET']);
  return { status: 200, body: { developerName, calloutUrl, type: 'SecuredEndpoint' } };
};
