import { defineCommand } from '../line/command.ts';
import { notBuilt } from '../program-error.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Runs the server here until Ctrl-C; returns its exit code.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace start', 'PORT=8080 millrace start'],
  async run({ world }) {
    const ended = world.runServer();
    if (ended === null) throw notBuilt();
    return ended;
  },
});
