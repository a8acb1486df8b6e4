import type { IncomingMessage } from 'node:http';
import {
  type Answer,
  type Html,
  createConsole,
  createInside,
  faultsSection,
  html,
} from '@millrace/simulator-kit';
import type { Issuer } from './issuer.ts';

/** Requests that reached an endpoint, refused or not; `other` reached none. */
export type Requests = Record<keyof Issuer['paths'] | 'other', number>;

const { home, nothingHere } = createConsole('Identity simulator', [['/_sim/', 'Issuer']]);

/** Everything below `/_sim/`: what there is, without a secret, and the faults to switch. */
export function createPages(
  issuer: Issuer,
  requests: Readonly<Requests>,
): (request: IncomingMessage, body: Buffer) => Answer {
  return createInside({
    faults: issuer.faults,
    home: (wrong) => homePage(issuer, requests, wrong),
    nothingHere,
  });
}

function homePage(issuer: Issuer, requests: Readonly<Requests>, wrong: string | null): Answer {
  const { settings, url, faults } = issuer;
  const counted = Object.entries(requests).map(([name, count]) => row([name, String(count)]));
  const users = settings.users.map(({ username, name, roles }) =>
    row([username, name, roles.join(', ')]),
  );
  const clients = settings.clients.map(({ id, secret, roles = [] }) =>
    row([id, secret === undefined ? 'public' : 'has a secret', roles.join(', ')]),
  );
  return home({
    wrong,
    facts: [
      ['Issuer', url],
      ['API', `${settings.api.appIdUri}, tokens of version ${settings.api.tokenVersion}`],
      ['Clock', new Date(settings.now()).toISOString()],
    ],
    beside: html`${table('Requests', counted)} ${table('Users', users)} ${table('Clients', clients)}`,
    faults: faultsSection(faults),
    standsInFor: 'Entra ID',
  });
}

function table(title: string, rows: readonly Html[]): Html {
  return html`<section>
    <h2>${title}</h2>
    ${
      rows.length === 0
        ? html`<p>None.</p>`
        : html`<table>
            <tbody>
              ${rows}
            </tbody>
          </table>`
    }
  </section>`;
}

function row(cells: readonly string[]): Html {
  return html`<tr>
    ${cells.map((cell) => html`<td class="whole">${cell}</td>`)}
  </tr>`;
}
