#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
// Before anything of ours is loaded: an older Node fails on its first new word, with a stack.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Millrace needs Node 20.19 or newer; this is ${process.versions.node}. https://nodejs.org has the newest.`,
  );
  process.exitCode = 70;
} else if (existsSync(built)) {
  const { main } = await import(built.href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  console.error('millrace is not built yet: run "npm run build" in the project folder first.');
  process.exitCode = 70;
}
