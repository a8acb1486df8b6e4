#!/usr/bin/env node
// A program that only makes and runs jobs installs neither the command line nor the server.
await import('@millrace/cli/bin').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'@millrace/cli'"))
    throw error;
  console.error(
    'The command line is a package of its own: npm install @millrace/cli, and @millrace/server beside it to run a server here.',
  );
  process.exitCode = 70;
});
