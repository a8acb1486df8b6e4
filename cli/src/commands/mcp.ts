import { defineCommand } from '../line/command.ts';
import { flag, text, wholeNumber } from '../line/option.ts';
import { UsageError } from '../line/usage-error.ts';

const DEFAULT_PORT = 3_010;
const LAST_PORT = 65_535;

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serves Millrace to agents over the Model Context Protocol.',
  usage: ['[--files DIR]', '--http [--port N]'],
  words: { least: 0, most: 0 },
  options: {
    files: text('DIR', 'Where downloads may be saved; default: this folder.'),
    http: flag('Serves HTTP on this machine, with each caller’s token.'),
    port: wholeNumber('N', `With --http: its port, ${DEFAULT_PORT} unless given.`, 0),
  },
  examples: [
    'millrace mcp --files ./downloads',
    'millrace mcp --http --url https://millrace.example.com',
  ],
  async run(context, { options: { files, http, port } }) {
    // The SDK is loaded for this command alone: it takes longer than everything else together.
    if (http) {
      if (files !== undefined)
        throw new UsageError('Give either --http or --files: over HTTP, files are not saved here.');
      if (port !== undefined && port > LAST_PORT)
        throw new UsageError(`--port takes a number up to ${LAST_PORT}.`);
      const { serveHttp } = await import('../mcp/http.ts');
      return serveHttp(context, port ?? DEFAULT_PORT);
    }
    if (port !== undefined) throw new UsageError('--port goes with --http.');
    const { serveStdio } = await import('../mcp/stdio.ts');
    return serveStdio(context, files ?? '.');
  },
});
