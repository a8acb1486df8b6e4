import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Salesforce, startSalesforce } from '@millrace/simulator-salesforce';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { need } from './need.mjs';

// The whole command, with a stand-in for sf and the simulator for the org: what is left for a real one is whether it answers alike.

await need('build');

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
let folder: string;
let org: Salesforce;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-verify-'));
  org = await startSalesforce({
    objects: join(root, 'salesforce-package/force-app/main/default/objects'),
    apps: [{ clientId: 'sf', secret: 'a-secret' }],
  });
  const granted = await fetch(`${org.loginUrl}/services/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'sf',
      client_secret: 'a-secret',
    }),
  });
  const { access_token: accessToken } = (await granted.json()) as { access_token: string };
  await mkdir(join(folder, 'bin'));
  // What the commands of plugin-org and plugin-user return.
  const display = {
    instanceUrl: org.origin,
    accessToken: "[REDACTED] Use 'sf org auth show-access-token' to view",
    apiVersion: '59.0',
  };
  const user = {
    orgId: '00D',
    permissionSetAssignments: ['Docgen_User'],
    fields: { id: '005', username: 'second@example.com' },
  };
  const stub = `#!${process.execPath}
const { appendFileSync, existsSync } = require('node:fs');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(join(folder, 'asked'))}, args.join(' ') + '\\n');
for (const flag of ['--source-dir', '--definition-file']) {
  const at = args.indexOf(flag);
  if (at !== -1 && !existsSync(args[at + 1])) throw new Error('no ' + args[at + 1]);
}
const results = {
  'org display': ${JSON.stringify(display)},
  'org auth': ${JSON.stringify({ accessToken })},
  'org create': args[2] === 'user' ? ${JSON.stringify(user)} : {},
};
console.log(JSON.stringify({ result: results[args.slice(0, 2).join(' ')] ?? {} }));
`;
  await writeFile(join(folder, 'bin/sf'), stub);
  await chmod(join(folder, 'bin/sf'), 0o755);
}, 60_000);

afterAll(async () => {
  await org.close();
  await rm(folder, { recursive: true, force: true });
});

it.skipIf(process.platform === 'win32')(
  'makes an org, deploys with tests, asks it, walks the store and keeps the answers',
  { timeout: 120_000 },
  async () => {
    const out = join(folder, 'out');
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    const { stdout } = await run('node', [join(root, 'scripts/org-verify.mjs'), '--out', out], {
      env,
      cwd: root,
    });
    expect(stdout).not.toContain('FAILED');
    expect(stdout).toMatch(/^ok +A file in base64/m);
    expect(stdout).toMatch(/^ok +Apex REST answers with Sforce-Limit-Info/m);
    expect(stdout).toMatch(/^ok +Eight workers/m);
    expect(stdout).toMatch(/^ok +the store's promises/m);
    expect(stdout).toMatch(/^not tried +A query WITH SYSTEM_MODE/m);

    const asked = (await readFile(join(folder, 'asked'), 'utf8')).trim().split('\n');
    expect(asked[0]).toContain('org create scratch');
    expect(asked[1]).toContain(
      'project deploy start --source-dir force-app --test-level RunLocalTests',
    );
    expect(asked).toContain('org auth show-access-token --target-org second@example.com --json');
    expect(asked.at(-1)).toContain('org delete scratch');

    expect((await readdir(out)).toSorted()).toEqual([
      'claims-at-once.json',
      'files-in-system-mode.json',
      'graph-with-file.json',
      'limit-info-on-apex-rest.json',
      'store.json',
    ]);
    const kept = await readFile(join(out, 'graph-with-file.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ holds: true, version: '59.0' });
    expect(kept).toContain('composite/graph');
    expect(kept).not.toContain('Bearer');
  },
);
