import type { IncomingMessage } from 'node:http';
import {
  type Answer,
  type Html,
  complaint,
  createConsole,
  createInside,
  faultsSection,
  html,
} from '@millrace/simulator-kit';
import type { Issuer } from './issuer.ts';

/** Requests that reached an endpoint, refused or not; `other` reached none. */
export type Requests = Record<keyof Issuer['paths'] | 'other', number>;

const { page, nothingHere } = createConsole('Identity simulator', [['/_sim/', 'Issuer']]);

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
  const content = html`<h1>Issuer</h1>
    ${complaint(wrong)}
    <div class="two">
      <section>
        <h2>Now</h2>
        <dl>
          <dt>Issuer</dt>
          <dd>${url}</dd>
          <dt>API</dt>
          <dd>${settings.api.appIdUri}, tokens of version ${String(settings.api.tokenVersion)}</dd>
          <dt>Clock</dt>
          <dd>${new Date(settings.now()).toISOString()}</dd>
        </dl>
      </section>
      ${table('Requests', counted)} ${table('Users', users)} ${table('Clients', clients)}
    </div>
    ${faultsSection(faults)}
    <p class="note">This is a stand-in for Entra ID. It exists only on this machine.</p>`;
  return page({ title: 'Issuer', place: '/_sim/', content, status: wrong === null ? 200 : 400 });
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
