import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@millrace/api';
import { expect, it } from 'vitest';
import { TOOL_ERRORS } from '../cli/src/mcp/refusal.ts';
import { jsonSchemaOf } from '../cli/src/mcp/schema.ts';
import { tools } from '../cli/src/mcp/tools.ts';

// The tables of agents.md are those of the code.

const file = join(import.meta.dirname, 'agents.md');

/** What a client reads of all tools, once in a session. */
const listing = tools.map((tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.about,
  inputSchema: jsonSchemaOf(tool),
}));

it('docs/agents.md has the tools and errors of cli/src/mcp, and what the list costs', () => {
  const page = readFileSync(file, 'utf8');
  const characters = Math.ceil(JSON.stringify(listing).length / 1_000) * 1_000;
  const tokens = Math.ceil(characters / 4 / 500) * 500;
  const wanted = table(table(page, 'tool', toolRows()), 'code', errorRows()).replace(
    /has [\d,]+ characters, about [\d,]+ tokens/,
    `has ${characters.toLocaleString('en-US')} characters, about ${tokens.toLocaleString('en-US')} tokens`,
  );
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, wanted);
  else expect(page, 'UPDATE_DOCS=1 npx vitest run docs/agents.test.ts writes it').toBe(wanted);
});

it('a tool that is said to read calls routes that only read', () => {
  for (const { name, routes } of tools.filter(({ effect }) => effect === 'reads'))
    expect([name, ...routes.map((route) => contracts[route].method)]).toEqual([
      name,
      ...routes.map(() => 'GET'),
    ]);
});

function toolRows(): string[] {
  return tools.map(({ name, routes: [route], effect, about }) => {
    const asks = effect === 'destroys' ? 'yes' : 'no';
    return `| \`${name}\` | ${contracts[route].access} | ${asks} | ${about} |`;
  });
}

function errorRows(): string[] {
  return Object.entries(TOOL_ERRORS).map(([code, help]) => `| \`${code}\` | ${help} |`);
}

/** The page with these rows below the heading that begins with this word. */
function table(page: string, first: string, rows: readonly string[]): string {
  const heading = new RegExp(`(^\\| ${first} \\|.*\\n\\|[-|]+\\|\\n)(?:\\|.*\\n)*`, 'm');
  expect(page).toMatch(heading);
  return page.replace(heading, (_, head: string) => `${head}${rows.join('\n')}\n`);
}
