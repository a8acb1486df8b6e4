/**
 * One column of contents, one of text, one of examples; below 1,150 px the examples go under the text, below
 * 800 px the contents go on top. Colours are pairs for a light and a dark page.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfdfc, #0f1519);
  --raised: light-dark(#f5f6f4, #161e24);
  --ink: light-dark(#17232c, #e2e9ee);
  --soft: light-dark(#52646f, #93a5b1);
  --line: light-dark(#e1e5e3, #25313a);
  --water: light-dark(#14628f, #6db9e3);
  --code: light-dark(#f1f4f5, #0a0f13);
  --get: light-dark(#14628f, #6db9e3);
  --post: light-dark(#22703f, #74c894);
  --delete: light-dark(#b02a2a, #f08b86);
  --warm: light-dark(#8a5a11, #e0b26a);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
  scroll-padding-top: 1.5rem;
}
@media (prefers-reduced-motion: no-preference) { :root { scroll-behavior: smooth; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); display: grid;
  grid-template-columns: 17rem minmax(0, 1fr); overflow-wrap: break-word; }
a { color: var(--water); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--water); outline-offset: 2px; border-radius: 3px; }
code, pre, .path, .type { font-family: var(--mono); font-size: .86em; }
h1, h2, h3, h4, p, dl, dd, ul, figure, pre { margin: 0; padding: 0; }
ul { list-style: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; z-index: 1; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem;
  border-right: 1px solid var(--line); background: var(--raised); font-size: .875rem; }
nav .home { display: flex; gap: .6rem; align-items: center; font-weight: 650; font-size: 1.05rem;
  color: var(--ink); margin-bottom: 1.25rem; }
nav .home small { color: var(--soft); font-weight: 400; }
nav svg { width: 1.6rem; height: 1.6rem; color: var(--water); flex: none; }
nav > input, nav > label { display: none; }
nav h2 { font-size: .72rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
  font-weight: 600; margin: 1.1rem 0 .3rem; }
nav h2 a { color: inherit; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .17rem .4rem;
  margin-left: -.4rem; border-radius: 5px; color: var(--ink); }
nav li a:hover { background: var(--line); text-decoration: none; }
nav .method { background: none; padding: 0; width: 2.1rem; text-align: right; font-size: .62rem; flex: none; }

main { padding: 3rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 96rem; width: 100%; }
h1 { font-size: 2.1rem; line-height: 1.15; letter-spacing: -.02em; font-weight: 700; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); letter-spacing: 0; margin-left: .4rem; }
.lead { font-size: 1.1rem; color: var(--soft); max-width: 44rem; margin-top: .6rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(15.5rem, 1fr)); gap: 1rem; margin-top: 2rem; }
.cards > div { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; background: var(--raised); }
.cards h2 { font-size: .95rem; margin-bottom: .25rem; }
.cards p { font-size: .9rem; color: var(--soft); }
.cards pre { margin-top: .6rem; }
.cards .roles { margin-top: .5rem; font-size: .9rem; color: var(--soft); display: grid; gap: .25rem; }

section { margin-top: 4rem; }
section > h2 { font-size: 1.5rem; letter-spacing: -.01em; }
section > p { color: var(--soft); margin-top: .2rem; max-width: 44rem; }
article { margin-top: 2rem; padding-top: 2rem; border-top: 1px solid var(--line); display: grid; gap: .5rem 2.5rem;
  grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); grid-template-areas: "head shown" "told shown";
  grid-template-rows: auto 1fr; }
article > header { grid-area: head; }
article > .told { grid-area: told; }
article > .shown { grid-area: shown; }
h3 { font-size: 1.1rem; font-weight: 600; display: flex; gap: .6rem; align-items: baseline; }
.path { font-size: 1.02rem; }
.path var { font-style: normal; color: var(--warm); }
.anchor { opacity: 0; color: var(--soft); }
article:hover .anchor, .anchor:focus { opacity: 1; }
article:target h3 .path, tr:target code { background: color-mix(in srgb, var(--water) 18%, transparent);
  border-radius: 4px; box-shadow: 0 0 0 3px color-mix(in srgb, var(--water) 18%, transparent); }
.summary { margin-top: .5rem; }
.facts { margin-top: .5rem; font-size: .85rem; color: var(--soft); display: flex; gap: .6rem; align-items: center; }
.method { font: 700 .7rem/1 var(--mono); letter-spacing: .03em; padding: .3rem .42rem; border-radius: 5px; color: var(--tone);
  background: color-mix(in srgb, var(--tone) 13%, transparent); }
.get { --tone: var(--get); }
.post { --tone: var(--post); }
.delete { --tone: var(--delete); }
.role { font-size: .75rem; border: 1px solid var(--line); border-radius: 99px; padding: .1rem .6rem; white-space: nowrap;
  color: var(--tone, var(--soft)); border-color: color-mix(in srgb, var(--tone, var(--soft)) 45%, transparent); }
.viewer { --tone: var(--get); }
.member { --tone: var(--post); }
.operator { --tone: var(--warm); }
.admin { --tone: var(--delete); }

h4 { font-size: .72rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); font-weight: 600;
  margin: 1.4rem 0 .2rem; }
.about { font-size: .9rem; color: var(--soft); }
.about b { color: var(--ink); font-weight: 600; }
.fields > div { padding: .5rem 0; border-bottom: 1px solid var(--line); display: grid;
  grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 1.25rem; font-size: .9rem; }
.fields > div:last-child { border-bottom: 0; }
.fields dt code { font-weight: 600; }
.type { color: var(--soft); font-size: .78rem; overflow-wrap: anywhere; }
.mark { color: var(--warm); font-size: .75rem; }
.limits { color: var(--soft); font-size: .82rem; }
.limits code { overflow-wrap: anywhere; font-size: 1em; }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .4rem; }
.chips a { display: block; font: .78rem/1.5 var(--mono); border: 1px solid var(--line); border-radius: 6px;
  padding: .1rem .5rem; color: var(--ink); }
.chips a:hover { border-color: var(--water); text-decoration: none; }
.chips b { color: var(--soft); font-weight: 600; }
details { margin-top: .5rem; font-size: .85rem; color: var(--soft); }
summary { cursor: pointer; }

figure { position: sticky; top: 1.5rem; max-height: calc(100vh - 3rem); display: flex; flex-direction: column;
  border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--code); }
figcaption { padding: .55rem 1rem 0; font-size: .72rem; letter-spacing: .06em; text-transform: uppercase;
  color: var(--soft); font-weight: 600; }
pre { padding: .5rem 1rem .9rem; overflow: auto; line-height: 1.5; white-space: pre-wrap; }
figure pre:last-child { max-height: 32rem; }
figure pre + figcaption { border-top: 1px solid var(--line); }
.call { user-select: all; flex: none; }
.cards pre { background: var(--code); border: 1px solid var(--line); border-radius: 7px; padding: .5rem .7rem; }
.k { color: var(--water); }
.s { color: var(--post); }
.v { color: var(--warm); }

.shape { grid-template: none / 12rem minmax(0, 1fr); }
.shape .fields > div:first-child { padding-top: 0; }
.shape h4 { font-size: .9rem; letter-spacing: 0; text-transform: none; }
.shape h4:first-child { margin-top: 0; }
.table { overflow-x: auto; margin-top: 1.2rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th { text-align: left; font-size: .72rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
th, td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:nth-child(2) { color: var(--soft); }
td p { color: var(--soft); }
tr { scroll-margin-top: 2rem; }

@media (max-width: 1150px) {
  article:not(.shape) { grid-template: "head" "shown" "told" / minmax(0, 1fr); }
  figure { position: static; margin-top: .6rem; max-height: none; }
  figure pre:last-child { max-height: 20rem; }
}
@media (max-width: 800px) {
  body { display: block; }
  nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  nav .home { margin-bottom: .5rem; }
  nav > label { display: inline-block; cursor: pointer; color: var(--water); padding: .2rem 0; }
  nav > label::before { content: "▸ "; }
  nav > input { display: block; position: absolute; opacity: 0; }
  nav > input:focus-visible + label { outline: 2px solid var(--water); }
  nav > input:checked + label::before { content: "▾ "; }
  nav > input:not(:checked) ~ .contents { display: none; }
  main { padding-top: 1.75rem; }
  h1 { font-size: 1.7rem; }
  .shape, .fields > div { grid-template-columns: minmax(0, 1fr); }
  thead { display: none; }
  tr { display: block; padding: .7rem 0; border-bottom: 1px solid var(--line); }
  td { display: inline; border: 0; padding: 0 .6rem 0 0; }
  td:nth-child(3)::before { content: "retry: "; color: var(--soft); }
  td:last-child { display: block; margin-top: .2rem; }
}
@media print {
  body { display: block; }
  nav { display: none; }
  pre { max-height: none; white-space: pre-wrap; }
}
`;
