import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { fieldLines } from '../../render/fields.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import type { SourceName } from '../../connection/token.ts';

const SOURCES: Readonly<Record<SourceName, string>> = {
  environment: 'MILLRACE_TOKEN',
  client: 'MILLRACE_CLIENT_ID and MILLRACE_CLIENT_SECRET',
  login: 'millrace login',
  local: 'the client of the sandbox',
};

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'Shows your identity, roles and tenants on the server.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace whoami', 'millrace whoami --json | jq .roles'],
  async run({ client, tokens, url, out, json, quiet, document, world }) {
    const me = await client.me();
    const { name, roles, tenants, claims, expiresAt } = me;
    if (json) {
      document(me);
    } else if (quiet) {
      out.line(clean(name));
    } else {
      const source = (await tokens.get())?.source;
      out.line(out.paint('bold', clean(name)));
      const fields = [
        ['roles', roles.length === 0 ? 'none' : roles.join(', ')],
        ['tenants', tenants && (tenants.length === 0 ? 'none' : clean(tenants.join(', ')))],
        ...Object.entries(claims).map(
          ([claim, values]) => [clean(claim), clean(values.join(', '))] as const,
        ),
        ['until', expiresAt && `${expiresAt}  (${relative(expiresAt, world.now())})`],
        ['by', source === undefined ? null : SOURCES[source]],
        ['server', url],
      ] as const;
      for (const line of fieldLines(fields, out)) out.line(line);
    }
    return EXIT.ok;
  },
});
