/** The whole style of the pages. Its hash is in their content security policy. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f7; --card: #fff; --ink: #17212b; --quiet: #566370; --line: #d5dbe1;
  --accent: #0b5f8a; --on-accent: #fff; --chosen: #e9f3f9; --wrong: #a3261b; --wrong-ground: #fdeeec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10161c; --card: #19222b; --ink: #e8edf2; --quiet: #9fadba; --line: #35424e;
    --accent: #7cc4ec; --on-accent: #0a1a25; --chosen: #1c3241; --wrong: #ff9d91; --wrong-ground: #3a1f1d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 1.75rem; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
h1 { margin: 0 0 .5rem; font-size: 1.3rem; line-height: 1.3; }
p { margin: 0 0 1.25rem; }
p:last-child { margin: 0; }
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
small, .note { color: var(--quiet); font-size: .875rem; }
.role { flex: none; max-width: 45%; color: var(--quiet); font-size: .875rem; text-align: right; }
.field { margin-bottom: 1.25rem; }
form:has(.user):not(:has([data-password]:checked)) .password { display: none; }
input[type=text], input[type=password] {
  width: 100%; padding: .55rem .7rem; border: 1px solid var(--quiet); border-radius: 8px;
  background: var(--ground); color: inherit; font: inherit;
}
.typed { text-transform: uppercase; letter-spacing: .12em; }
.code {
  margin: 0 0 1.25rem; padding: .5rem; border: 1px dashed var(--line); border-radius: 8px;
  font: 600 1.5rem/1.4 ui-monospace, monospace; letter-spacing: .12em; text-align: center;
}
.wrong {
  padding: .6rem .8rem; border-left: 3px solid var(--wrong); background: var(--wrong-ground); color: var(--wrong);
}
.buttons { display: flex; gap: .75rem; margin-bottom: 1.25rem; }
button {
  padding: .55rem 1.2rem; border: 1px solid var(--accent); border-radius: 8px; cursor: pointer;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
}
button.second { background: none; border-color: var(--line); color: inherit; font-weight: 400; }
@media (max-width: 26rem) { body { padding: .75rem; } main { padding: 1.25rem; } .role { max-width: 35%; } }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
