// node lab/bench/main.mjs <bench> [options]. See README.md.

import { parseArgs } from 'node:util';
import { benches } from './benches.mjs';
import { runSmoke } from './smoke.mjs';

const [first, ...rest] = process.argv.slice(2);

if (first === '--smoke' && rest.length === 0) await runSmoke(Object.keys(benches));
else if (!Object.hasOwn(benches, first ?? '')) {
  console.error(
    `Usage: node lab/bench/main.mjs ${Object.keys(benches).join('|')} [options] [--smoke]`,
  );
  process.exitCode = 1;
} else if (rest.length === 1 && rest[0] === '--smoke') await runSmoke([first]);
else {
  const settings = settingsOf(benches[first].options, rest);
  const { main } = await import(`./${first}.mjs`);
  await main(settings);
}

/** Numbers are numbers, and what is not named is as the table has it. */
function settingsOf(defaults, args) {
  const options = Object.entries(defaults).map(([name, value]) => [
    name,
    { type: typeof value === 'boolean' ? 'boolean' : 'string' },
  ]);
  const { values } = parseArgs({ args, options: Object.fromEntries(options) });
  const given = Object.entries(values).map(([name, value]) => {
    const isNumber = typeof defaults[name] === 'number';
    if (isNumber && !/^\d+(\.\d+)?$/.test(value))
      throw Object.assign(new Error(`--${name} takes a number, and not "${String(value)}".`), {
        code: 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
      });
    return [name, isNumber ? Number(value) : value];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}
