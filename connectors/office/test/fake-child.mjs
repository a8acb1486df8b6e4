// A child that speaks the protocol and has no LibreOffice. What it does with a document is the document's text.

import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const { folder, way } = JSON.parse(process.argv[2] ?? '');
const start = process.env['TZ'] ?? ''; // the one variable of the test's that a child sees

let served = 0;
/** @type {Buffer[]} */
const kept = [];
process.on('disconnect', () => process.exit());
process.on('message', (/** @type {import('../src/program/protocol.ts').Task} */ task) => {
  const [command, argument = ''] = readFileSync(task.input, 'utf8').split(' ');
  served += 1;
  const done = (/** @type {string} */ text) => {
    writeFileSync(task.output, text);
    process.send?.({ type: 'done', loadMs: 1, saveMs: 2, missing: [], printsName: false });
  };
  switch (command) {
    case 'die':
      return process.exit(3);
    case 'die-once':
      if (existsSync(argument)) return done(`document ${served} of its process`);
      writeFileSync(argument, '');
      return process.kill(process.pid, 'SIGSEGV');
    case 'wait-die-once':
      return waitFor(argument, () => {
        if (existsSync(`${argument}.tried`)) return done(`document ${served} of its process`);
        writeFileSync(`${argument}.tried`, '');
        return process.exit(3);
      });
    case 'hang':
      return undefined;
    case 'work':
      for (;;) served += 1; // until it is killed
    case 'fail':
      return process.send?.({ type: 'failed', code: 'conversion_failed', reason: 'No page.' });
    case 'eat':
      return void Object.assign(globalThis, {
        eaten: Buffer.alloc(Number(argument) * 1024 * 1024, 1),
      });
    case 'keep': // memory, for the documents after it; done with it only as the first
      kept.push(Buffer.alloc(Number(argument) * 1024 * 1024, 1));
      return served === 1 ? done('kept') : undefined;
    case 'wait': // until the file is there
      return waitFor(argument, () => done('waited'));
    default:
      return done(`${command} by ${process.pid} in ${folder}`);
  }
});

/** @param {string} file @param {() => void} then */
function waitFor(file, then) {
  const watcher = watch(dirname(file), (_, name) => {
    if (name === basename(file)) finish();
  });
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    watcher.close();
    then();
  };
  if (existsSync(file)) finish();
}

if (start === 'dies') process.exit(1);
else if (start === 'no-kit' && way === 'kit')
  process.send?.({ type: 'unavailable', reason: 'No kit.' });
else process.send?.({ type: 'ready', version: '7.4.0.0', network: ['filter'], disk: ['landlock'] });
