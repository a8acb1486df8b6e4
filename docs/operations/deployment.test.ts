import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ignoredBy } from '../../scripts/release/context.mjs';
import { environment } from '../../server/src/config/environment.ts';
import { samplesOf } from '../../server/src/figures/sampler.ts';
import { type TestDatabases, testDatabases } from '../../stores/postgres/test/databases.ts';
import { type Instruction, instructionsOf } from '../test/dockerfile.ts';

// There is no Docker and no Azure in a test. What can be told without: that what they name is there, and fits the code.

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
const settings = Object.keys(environment.shape);

describe('Dockerfile', () => {
  const instructions = instructionsOf(read('docs/operations/Dockerfile'));
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const [build, runtime] = [instructions.slice(0, last), instructions.slice(last)];
  const isLeftOut = ignoredBy(read('docs/operations/Dockerfile.dockerignore'));
  const of = (stage: readonly Instruction[], name: string) =>
    stage.filter((each) => each.name === name);
  const commands = (stage: readonly Instruction[]) =>
    of(stage, 'RUN')
      .map(({ text }) => text)
      .join('\n');

  it('copies what is there', () => {
    const sources = of(instructions, 'COPY')
      .filter(({ flags }) => !flags.some((flag) => flag.startsWith('--from=')))
      .flatMap(({ words }) => words.slice(0, -1));
    expect(sources).toEqual(['.']);
    const stages = of(instructions, 'FROM').flatMap(({ words: [, , name] }) => name ?? []);
    const from = of(runtime, 'COPY').flatMap(({ flags }) => flags);
    expect(from).toEqual(stages.map((name) => `--from=${name}`));
  });

  it('lets every workspace in, and all that the build needs', () => {
    const needed = workspaces.flatMap((name) =>
      ['package.json', 'tsconfig.json', name === 'console' ? 'src/main.tsx' : 'src/index.ts'].map(
        (file) => join(name, file),
      ),
    );
    const others = [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'tsconfig.base.json',
      'stores/postgres/migrations/001-queue.sql',
      'cli/bin/millrace.js',
      'jobs/checksum-folder.ts',
    ];
    const files = [...needed, ...others];
    for (const file of files) expect(() => read(file)).not.toThrow();
    expect(files.filter(isLeftOut)).toEqual([]);
  });

  it('keeps out what does not belong into an image', () => {
    const strange = [
      '.git/config',
      '.env',
      'server/.env.local',
      '.millrace/db/PG_VERSION',
      'node_modules/zod/index.js',
      'server/node_modules/x/index.js',
      'server/dist/main.js',
      'server/src/main.test.ts',
      'server/test/harness.ts',
      'docs/cli.md',
      'lab/bench/package.json',
      'npm-debug.log',
      'secrets.txt',
    ];
    expect(strange.filter((path) => !isLeftOut(path))).toEqual([]);
  });

  it('installs by the lock file, builds, and leaves the tools behind', () => {
    const steps = ['npm ci', 'npm run build', 'npm ci --omit=dev'].map((step) =>
      commands(build).indexOf(step),
    );
    expect(steps).not.toContain(-1);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(commands(runtime)).not.toMatch(/npm|curl|wget/);
  });

  it('has an office and fonts, and nothing that they only recommend', () => {
    const install =
      /apt-get install -y --no-install-recommends ([^&]*)/.exec(commands(runtime))?.[1] ?? '';
    expect(install.trim().split(/\s+/)).toEqual([
      'fonts-crosextra-caladea',
      'fonts-crosextra-carlito',
      'fonts-dejavu',
      'fonts-liberation',
      'fonts-noto-cjk',
      'fonts-noto-core',
      'libreoffice-writer-nogui',
      'tini',
    ]);
    expect(commands(runtime)).toContain('rm -rf /var/lib/apt/lists/*');
  });

  it('does not run as root, and says so by number', () => {
    const [user] = of(runtime, 'USER').at(-1)?.words ?? [];
    expect(user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(commands(runtime)).toContain(`--uid ${user?.split(':')[0]} `);
  });

  it('sets settings that there are, for production', () => {
    const set = Object.fromEntries(
      of(runtime, 'ENV').flatMap(({ words }) =>
        words.map((word) => word.split('=') as [string, string]),
      ),
    );
    const { PATH: _path, HOME: _home, ...ours } = set;
    expect(Object.keys(ours).filter((name) => !settings.includes(name))).toEqual([]);
    expect(ours).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', MILLRACE_DATA: '/data' });
    expect(of(runtime, 'VOLUME').flatMap(({ words }) => words)).toEqual([ours['MILLRACE_DATA']]);
    expect(of(runtime, 'EXPOSE').flatMap(({ words }) => words)).toEqual([ours['PORT']]);
  });

  it('starts what the build makes, under something that buries children', () => {
    expect(of(runtime, 'ENTRYPOINT').at(-1)?.words).toEqual(['tini', '--']);
    const [node, file = ''] = of(runtime, 'CMD').at(-1)?.words ?? [];
    expect(node).toBe('node');
    const source = file.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    expect(() => read(source)).not.toThrow();
    expect(workspaces).toContain(dirname(dirname(file)));
  });

  it('asks for its health without a tool', () => {
    const text = of(runtime, 'HEALTHCHECK')[0]?.text ?? '';
    const [node, evaluate, script = ''] = JSON.parse(text.replace(/^CMD /, '')) as string[];
    expect([node, evaluate]).toEqual(['node', '-e']);
    expect(script).toContain('/healthz');
  });
});

interface ContainerApp {
  readonly properties: {
    readonly configuration: {
      readonly ingress: { readonly targetPort: number; readonly allowInsecure: boolean };
      readonly secrets: readonly Readonly<Record<string, string>>[];
    };
    readonly template: {
      readonly terminationGracePeriodSeconds: number;
      readonly containers: readonly [Container];
      readonly volumes: readonly { readonly name: string }[];
      readonly scale: {
        readonly minReplicas: number;
        readonly maxReplicas: number;
        readonly rules: readonly [{ readonly custom: Scaler }];
      };
    };
  };
}

interface Container {
  readonly resources: { readonly cpu: number; readonly memory: string };
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly secretRef?: string;
  }[];
  readonly probes: readonly {
    readonly type: string;
    readonly httpGet: { readonly path: string; readonly port: number };
  }[];
  readonly volumeMounts: readonly { readonly volumeName: string; readonly mountPath: string }[];
}

interface Scaler {
  readonly type: string;
  readonly metadata: { readonly query: string; readonly targetQueryValue: string };
  readonly auth: readonly { readonly secretRef: string; readonly triggerParameter: string }[];
}

describe('container-app.yaml', () => {
  const app = parse(read('docs/operations/container-app.yaml')) as ContainerApp;
  const { configuration, template } = app.properties;
  const [container] = template.containers;
  const values = Object.fromEntries(
    container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );

  it('sets settings that there are, with values that they take', () => {
    expect(
      container.env.map(({ name }) => name).filter((name) => !settings.includes(name)),
    ).toEqual([]);
    const parsed = environment.safeParse({
      ...values,
      DATABASE_URL: 'postgres://user:password@host/name',
      AZURE_MONITOR_CONNECTION_STRING: 'InstrumentationKey=0',
    });
    expect(parsed.error?.issues ?? []).toEqual([]);
    expect(Object.keys(values)).toEqual(
      expect.arrayContaining(['ISSUER', 'AUDIENCE', 'JWKS_URI', 'MILLRACE_METRICS_PORT']),
    );
  });

  it('takes secrets by reference', () => {
    const refs = container.env.flatMap(({ name, secretRef }) =>
      secretRef === undefined ? [] : [[name, secretRef]],
    );
    expect(Object.fromEntries(refs)).toEqual({
      DATABASE_URL: 'database-url',
      AZURE_MONITOR_CONNECTION_STRING: 'azure-monitor-connection-string',
      SALESFORCE_PRIVATE_KEY: 'salesforce-private-key',
    });
    expect(configuration.secrets.map(({ name }) => name)).toEqual(refs.map(([, ref]) => ref));
    for (const secret of configuration.secrets) {
      expect(secret['keyVaultUrl']).toMatch(/^https:/);
      expect(secret).not.toHaveProperty('value');
    }
  });

  it('asks for health where it is served', () => {
    const port = configuration.ingress.targetPort;
    expect(port).toBe(environment.parse({}).PORT);
    expect(configuration.ingress.allowInsecure).toBe(false);
    expect(container.probes.map(({ type, httpGet }) => [type, httpGet.path, httpGet.port])).toEqual(
      [
        ['Startup', '/healthz', port],
        ['Liveness', '/healthz', port],
        ['Readiness', '/readyz', port],
      ],
    );
  });

  it('waits for as long as a shutdown may take, and no longer than the platform can', () => {
    const { MILLRACE_SHUTDOWN_GRACE, MILLRACE_LEASE } = environment.parse(values);
    const aborted = 10;
    const longest = MILLRACE_SHUTDOWN_GRACE / 1_000 + aborted + MILLRACE_LEASE / 1_000;
    expect(template.terminationGracePeriodSeconds).toBeGreaterThan(longest);
    expect(template.terminationGracePeriodSeconds).toBeLessThanOrEqual(600);
  });

  it('has room for an office, and writes where it may', () => {
    expect(container.resources).toEqual({ cpu: 2, memory: '4Gi' });
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounted).toEqual(['/data', '/tmp']);
    expect(template.volumes.map(({ name }) => name)).toEqual(
      container.volumeMounts.map(({ volumeName }) => volumeName),
    );
  });

  it('reaches five replicas at over 1,000 jobs that wait, and not before', () => {
    const { minReplicas, maxReplicas, rules } = template.scale;
    const { type, metadata, auth } = rules[0].custom;
    const replicas = (due: number) =>
      Math.min(
        maxReplicas,
        Math.max(minReplicas, Math.ceil(due / Number(metadata.targetQueryValue))),
      );
    expect([0, 1, 250, 251, 1_000, 1_001, 1_000_000].map(replicas)).toEqual([1, 1, 1, 2, 4, 5, 5]);
    expect(type).toBe('postgresql');
    expect(auth).toEqual([{ secretRef: 'database-url', triggerParameter: 'connection' }]);
  });

  describe('its scaling query', () => {
    let databases: TestDatabases;
    beforeAll(async () => {
      databases = await testDatabases();
    });
    afterAll(() => databases.remove());

    it('counts what is due in Postgres, in Redis and in an org, without paused kinds', () => {
      const waits = (kind: string, count: number) =>
        ({ kind, tenant: '', state: 'QUEUED', count, scheduled: 1 }) as const;
      const [all] = samplesOf({
        at: 0,
        counts: [waits('greet', 11), waits('on.redis', 101), waits('document.salesforce', 1_001)],
        subqueues: [],
        paused: [],
        replicas: [],
        pools: [],
        schedules: [],
      });
      expect(all).toMatchObject({ tenant: null, due: 1_110 });
    });

    it('is the newest figure of what is due over all tenants, while there is a new one', async () => {
      const database = await databases.create();
      const client = new pg.Client(database.url);
      await client.connect();
      const { query } = template.scale.rules[0].custom.metadata;
      const due = async () => {
        const { rows } = await client.query<Record<string, string>>(query);
        return rows.map((row) => Object.values(row).map(Number));
      };
      const add = (level: number, minutesAgo: number, count: number) =>
        client.query(
          `INSERT INTO millrace.samples VALUES ($1, '', now() - make_interval(mins => $2), $3, $3, 0, NULL)`,
          [level, minutesAgo, count],
        );
      try {
        expect(await due()).toEqual([[0]]);
        await add(0, 6, 9_000);
        expect(await due()).toEqual([[0]]);
        await add(0, 2, 340);
        await add(2, 1, 7);
        expect(await due()).toEqual([[340]]);
        await add(0, 1, 40);
        expect(await due()).toEqual([[40]]);
      } finally {
        await client.end();
        await database.drop();
      }
    });
  });
});

describe('README.md', () => {
  it('names every file of the folder', () => {
    const text = read('docs/operations/README.md');
    const helpers = /\.test\.(ts|yml)$|^README|\.dockerignore$/;
    const files = readdirSync(join(root, 'docs/operations')).filter((name) => !helpers.test(name));
    expect(files.filter((name) => !text.includes(`](${name}`))).toEqual([]);
  });
});
