import { authorizeEndpoint } from './endpoints/authorize.ts';
import { deviceAuthorizationEndpoint, deviceEndpoint } from './endpoints/device.ts';
import { discoveryEndpoint, jwksEndpoint } from './endpoints/discovery.ts';
import { enterEndpoint, loginEndpoint } from './endpoints/login.ts';
import { logoutEndpoint } from './endpoints/logout.ts';
import { tokenEndpoint } from './endpoints/token.ts';
import type { Handler } from './http.ts';
import type { Issuer } from './issuer.ts';

export interface Route {
  readonly name: keyof Issuer['paths'];
  readonly GET?: Handler;
  readonly POST?: Handler;
  /** Who reads the answer, and its refusals. */
  readonly reader: 'program' | 'person';
  /**
   * The web pages that may post here. `loopback`: pages of this machine, which may also read the answers
   * (CORS). `own`: the forms of this issuer. `any`: it changes nothing, or only what a token allows.
   */
  readonly pages: 'loopback' | 'own' | 'any';
}

/** By path. */
export function routesOf(issuer: Issuer): ReadonlyMap<string, Route> {
  const logout = logoutEndpoint(issuer);
  const authorize = authorizeEndpoint(issuer);
  const routes: readonly Route[] = [
    {
      name: 'discovery',
      GET: discoveryEndpoint(issuer),
      reader: 'program',
      pages: 'loopback',
    },
    { name: 'jwks', GET: jwksEndpoint(issuer), reader: 'program', pages: 'loopback' },
    { name: 'token', POST: tokenEndpoint(issuer), reader: 'program', pages: 'loopback' },
    {
      name: 'devicecode',
      POST: deviceAuthorizationEndpoint(issuer),
      reader: 'program',
      pages: 'loopback',
    },
    { name: 'authorize', GET: authorize, POST: authorize, reader: 'person', pages: 'any' },
    { name: 'logout', GET: logout, POST: logout, reader: 'person', pages: 'any' },
    { name: 'device', GET: deviceEndpoint(issuer), reader: 'person', pages: 'own' },
    { name: 'enter', GET: enterEndpoint(issuer), reader: 'person', pages: 'own' },
    { name: 'login', POST: loginEndpoint(issuer), reader: 'person', pages: 'own' },
  ];
  return new Map(routes.map((route) => [issuer.paths[route.name], route]));
}
