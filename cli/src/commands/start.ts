import { defineCommand } from '../line/command.ts';
import { EXIT } from '../line/exit.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Runs the server here until Ctrl-C; gives its exit code.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace start', 'PORT=8080 millrace start'],
  async run({ world, err }) {
    const ended = world.runServer();
    if (ended !== null) return ended;
    const advice = 'The server is not built here: run "npm run build" in the project folder first.';
    err.line(err.paint('red', advice));
    return EXIT.defect;
  },
});
