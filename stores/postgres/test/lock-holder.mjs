// node lock-holder.mjs <folder>: takes the lock and holds it until it is killed. Says "locked", or why not.
// It runs what `tsc -b` has built (npm test builds first): Node 20 runs no TypeScript.
import { lockFolder } from '../dist/embedded/folder-lock.js';

const [folder] = process.argv.slice(2);
try {
  await lockFolder(folder);
  process.send('locked');
} catch (error) {
  process.send(error.message);
}
// The channel to the parent keeps the process alive.
process.on('message', () => {});
