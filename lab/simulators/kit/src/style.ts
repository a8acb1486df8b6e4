/** The style of all pages: colours for light and dark, the text, buttons, complaints. */
export const BASE_STYLE = `
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
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
p { margin: 0 0 1.25rem; }
p:last-child { margin: 0; }
.note { color: var(--quiet); font-size: .875rem; }
input, select {
  padding: .45rem .6rem; border: 1px solid var(--quiet); border-radius: 8px;
  background: var(--ground); color: inherit; font: inherit;
}
button {
  padding: .45rem 1rem; border: 1px solid var(--accent); border-radius: 8px; cursor: pointer;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; white-space: nowrap;
}
button.second { background: none; border-color: var(--line); color: inherit; font-weight: 400; }
.wrong {
  padding: .6rem .8rem; border-left: 3px solid var(--wrong); background: var(--wrong-ground); color: var(--wrong);
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

/** Pages to look inside: a line of links, sections with tables and small forms. */
export const CONSOLE_STYLE = `
header {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.5rem; padding: .75rem 1.5rem;
  background: var(--card); border-bottom: 1px solid var(--line);
}
header b { font-size: 1.1rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
a { color: var(--accent); }
nav a { text-decoration: none; }
nav a[aria-current] { font-weight: 600; text-decoration: underline; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; display: grid; gap: 1.25rem; }
section {
  padding: 1.25rem 1.5rem; overflow-x: auto;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
h1 { margin: 0; font-size: 1.3rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 0 0 .75rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
p:last-child { margin: 0; }
details { margin-top: 1.25rem; }
summary { margin-bottom: .75rem; cursor: pointer; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
td { white-space: nowrap; }
td.path, td.whole { white-space: normal; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.path { font-family: ui-monospace, monospace; font-size: .8rem; }
tr:last-child td { border-bottom: 0; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, monospace; }
table + form.row { margin-top: 1.25rem; }
form.row { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; }
.field { display: grid; gap: .25rem; }
.field span { font-size: .875rem; font-weight: 600; }
input[type=number] { width: 7rem; }
@media (max-width: 40rem) { main { padding: .75rem; } section { padding: 1rem; } }
`;
