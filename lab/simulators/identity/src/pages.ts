import {
  type Answer,
  BASE_STYLE,
  complaint,
  createFrame,
  html,
  type Html,
} from '@millrace/simulator-kit';
import type { User } from './options.ts';

/** A card in the middle of the window, over the kit's style. */
const CARD_STYLE = `
body { min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem; }
main {
  width: 100%; max-width: 27rem; padding: 1.75rem; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
h1 { margin: 0 0 .5rem; font-size: 1.3rem; line-height: 1.3; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend, .label { display: block; margin-bottom: .5rem; padding: 0; font-weight: 600; }
.user {
  display: flex; align-items: center; gap: .75rem; margin-bottom: .5rem; padding: .6rem .8rem;
  border: 1px solid var(--line); border-radius: 8px; cursor: pointer;
}
.user:hover { border-color: var(--accent); }
.user:has(:checked) { border-color: var(--accent); background: var(--chosen); }
.user input { flex: none; width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); }
.who { flex: 1; min-width: 0; }
.who b, .who small { display: block; }
small { color: var(--quiet); font-size: .875rem; }
.role { flex: none; max-width: 45%; color: var(--quiet); font-size: .875rem; text-align: right; }
.field { margin-bottom: 1.25rem; }
form:has(.user):not(:has([data-password]:checked)) .password { display: none; }
input[type=text], input[type=password] { width: 100%; padding: .55rem .7rem; }
.typed { text-transform: uppercase; letter-spacing: .12em; }
.code {
  margin: 0 0 1.25rem; padding: .5rem; border: 1px dashed var(--line); border-radius: 8px;
  font: 600 1.5rem/1.4 ui-monospace, monospace; letter-spacing: .12em; text-align: center;
}
.buttons { display: flex; gap: .75rem; margin-bottom: 1.25rem; }
@media (max-width: 26rem) { body { padding: .75rem; } main { padding: 1.25rem; } .role { max-width: 35%; } }
`;

const frame = createFrame(BASE_STYLE + CARD_STYLE);
const TITLE = 'Millrace sandbox sign-in';

interface SignInPage {
  readonly users: readonly User[];
  /** Where the form goes: a path, so that it stays on the host that the browser is on. */
  readonly action: string;
  readonly transaction: string;
  readonly clientName: string;
  /** The code of a device: the person compares it with what they see there. */
  readonly userCode: string | null;
  /** Where the browser goes afterwards, an origin. Null: it stays here. */
  readonly returnsTo: string | null;
  /** Chosen before the person chooses. */
  readonly username: string | undefined;
  readonly wrong: string | null;
}

export function signInPage(page: SignInPage): Answer {
  const { users, clientName, userCode, returnsTo } = page;
  const asks =
    userCode === null
      ? html`<p><b>${clientName}</b> asks you to sign in.</p>`
      : html`<p><b>${clientName}</b> asks you to sign in. Check that it shows this code:</p>
          <p class="code">${userCode}</p>`;
  const content = html`${asks}${complaint(page.wrong)}
    <form method="post" action="${page.action}">
      <input type="hidden" name="transaction" value="${page.transaction}" />
      ${users.length === 0 ? html`<p>Nobody can sign in: there are no users.</p>` : choice(page)}
      <div class="buttons">
        ${users.length === 0 ? null : html`<button name="action" value="sign-in">Sign in</button>`}
        <button class="second" name="action" value="cancel">Cancel</button>
      </div>
    </form>
    <p class="note">
      This is a stand-in for Entra ID. It exists only on this machine, and so do these
      users.${returnsTo === null ? null : html` You go back to ${returnsTo} afterwards.`}
    </p>`;
  return answer(page.wrong === null ? 200 : 403, TITLE, content, returnsTo);
}

function choice({ users, username }: SignInPage): Html {
  const chosen = users.find((user) => user.username === username) ?? users[0];
  const cards = users.map(
    (user) =>
      html`<label class="user">
        <input
          type="radio"
          name="username"
          value="${user.username}"
          ${user === chosen ? html`checked` : null}
          ${user.password === undefined ? null : html`data-password`}
        />
        <span class="who"><b>${user.name}</b><small>${user.username}</small></span>
        <span class="role">${user.roles.length === 0 ? 'no role' : user.roles.join(', ')}</span>
      </label> `,
  );
  const password = html`<div class="field password">
    <label class="label" for="password">Password</label>
    <input type="password" id="password" name="password" autocomplete="current-password" />
  </div>`;
  return html`<fieldset>
      <legend>Sign in as</legend>
      ${cards}
    </fieldset>
    ${users.some((user) => user.password !== undefined) ? password : null}`;
}

/** Where a person types the code that their terminal shows. */
export function codePage(action: string, typed: string, wrong: string | null): Answer {
  const content = html`<p>Type the code that the program shows you.</p>
    ${complaint(wrong)}
    <form method="get" action="${action}">
      <div class="field">
        <label class="label" for="code">Code</label>
        <input
          class="typed"
          type="text"
          id="code"
          name="user_code"
          value="${typed}"
          maxlength="20"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          autofocus
          required
        />
      </div>
      <div class="buttons"><button>Continue</button></div>
    </form>
    <p class="note">This is a stand-in for Entra ID. It exists only on this machine.</p>`;
  return answer(wrong === null ? 200 : 404, TITLE, content, null);
}

export function messagePage(status: number, title: string, text: string): Answer {
  return answer(status, title, html`<p>${text}</p>`, null);
}

function answer(status: number, title: string, content: Html, leadsTo: string | null): Answer {
  const body = html`<main>
    <h1>${title}</h1>
    ${content}
  </main>`;
  return frame({ title, body, status, leadsTo });
}
