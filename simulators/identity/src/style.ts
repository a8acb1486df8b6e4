/** A card in the middle of the window, over the kit's style. */
export const CARD_STYLE = `
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
