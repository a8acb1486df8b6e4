import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environment } from '../../server/src/config/environment.ts';
import { findHelm } from '../test/helm.ts';

// The chart, rendered by Helm itself. There is no cluster in a test.

const chart = join(import.meta.dirname, 'helm/millrace');
const helm = findHelm();
const VALUES = {
  image: { repository: 'registry.example/millrace' },
  settings: {
    ISSUER: 'https://login.example/v2.0',
    AUDIENCE: 'api://millrace',
    JWKS_URI: 'https://login.example/keys',
    MILLRACE_CLIENT_ID: 'console',
  },
};

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef: {
      readonly name: string;
      readonly key: string;
      readonly optional: boolean;
    };
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
  readonly [limit: string]: unknown;
}

interface Container {
  readonly image: string;
  readonly env: readonly Variable[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly selector: Readonly<Record<string, unknown>>;
    readonly scaleTargetRef?: { readonly name: string };
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[];
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly enableServiceLinks: boolean;
        readonly automountServiceAccountToken: boolean;
      };
    };
  };
}

async function render(values: object = {}, base: object = VALUES): Promise<Manifest[]> {
  const given = JSON.stringify({ ...base, ...values });
  const yaml = await helm(['template', 'queue', chart, '--values', '-'], given);
  return parseAllDocuments(yaml).map((document) => document.toJS() as Manifest);
}

const of = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind);
const podOf = (manifest: Manifest | undefined) => {
  if (manifest === undefined) throw new Error('There is no such manifest.');
  return manifest.spec.template.spec;
};

/** The same app as on Azure. */
const app = (
  parse(readFileSync(join(import.meta.dirname, 'container-app.yaml'), 'utf8')) as {
    properties: {
      template: {
        terminationGracePeriodSeconds: number;
        containers: [
          {
            env: { name: string; value?: string; secretRef?: string }[];
            probes: ({ type: string } & Probe)[];
            volumeMounts: { volumeName: string; mountPath: string }[];
          },
        ];
      };
    };
  }
).properties.template;
const [theirs] = app.containers;
/** Without those of an org, which the chart takes as any other setting. */
const theirSettings = theirs.env.filter(({ name }) => !name.startsWith('SALESFORCE_'));

describe('the chart', () => {
  it('is well formed, as helm lint says', async () => {
    expect(
      await helm(['lint', '--strict', chart, '--values', '-'], JSON.stringify(VALUES)),
    ).toContain('0 chart(s) failed');
  });

  it.each([
    ['an image', { image: { repository: '' } }, 'image.repository: name the image'],
    ['an issuer', { settings: {} }, 'settings.ISSUER: without an issuer'],
  ])('refuses to be rendered without %s', async (_, values, sentence) => {
    await expect(render(values)).rejects.toThrow(sentence);
  });

  it('has the settings of the container app, and values that they take', async () => {
    const [container] = podOf(of(await render(), 'Deployment')[0]).containers;
    const names = container.env.map(({ name }) => name).filter((name) => name !== 'MILLRACE_ROLE');
    expect(names.toSorted()).toEqual(theirSettings.map(({ name }) => name).toSorted());
    const values = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    for (const { name, value } of theirSettings)
      if (value !== undefined && !/[A-Z]{4}/.test(value)) expect(values[name], name).toBe(value);
    const secrets = {
      DATABASE_URL: 'postgres://host/name',
      AZURE_MONITOR_CONNECTION_STRING: 'x=y',
    };
    expect(environment.safeParse({ ...values, ...secrets }).error?.issues ?? []).toEqual([]);
  });

  it('passes settings on as they were written, where Helm reads numbers and truth values', async () => {
    const settings = `MIGRATE: off, REPORTS_CHUNK_BYTES: 2000000, SHELL_QUERY_JITTER_RANGE: 0.4, MILLRACE_QUERIES: false`;
    const { settings: needed, ...others } = VALUES;
    const given = `${JSON.stringify(others).slice(0, -1)}, settings: {${JSON.stringify(needed).slice(1, -1)}, ${settings}}}`;
    const yaml = await helm(['template', 'queue', chart, '--values', '-'], given);
    const [deployment] = parseAllDocuments(yaml)
      .map((document) => document.toJS() as Manifest)
      .filter(({ kind }) => kind === 'Deployment');
    const [container] = podOf(deployment).containers;
    const values = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({
      MIGRATE: 'off',
      REPORTS_CHUNK_BYTES: '2000000',
      SHELL_QUERY_JITTER_RANGE: '0.4',
      MILLRACE_QUERIES: 'false',
    });
  });

  it('takes secrets by reference, and starts without those that nobody made, but for the database', async () => {
    const [container] = podOf(of(await render(), 'Deployment')[0]).containers;
    const refs = container.env.flatMap(({ name, valueFrom }) =>
      valueFrom === undefined ? [] : [[name, valueFrom.secretKeyRef]],
    );
    expect(Object.fromEntries(refs)).toEqual({
      DATABASE_URL: { name: 'millrace', key: 'database-url', optional: false },
      AZURE_MONITOR_CONNECTION_STRING: {
        name: 'millrace',
        key: 'azure-monitor-connection-string',
        optional: true,
      },
    });
  });

  it('asks for health as the container app does, and waits as long for the end', async () => {
    const pod = podOf(of(await render(), 'Deployment')[0]);
    const [{ ports, startupProbe, livenessProbe, readinessProbe }] = pod.containers;
    const { PORT } = environment.parse({});
    expect(ports).toEqual([{ name: 'http', containerPort: PORT }]);
    const expected = theirs.probes.map(({ type: _type, ...probe }) => probe);
    const named = [startupProbe, livenessProbe, readinessProbe].map((probe) => ({
      ...probe,
      httpGet: { ...probe.httpGet, port: PORT },
    }));
    expect(
      [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.port),
    ).toEqual(['http', 'http', 'http']);
    expect(named).toEqual(expected);
    expect(pod.terminationGracePeriodSeconds).toBe(app.terminationGracePeriodSeconds);
  });

  it('is not root, writes to two folders only, and has no rights in the cluster', async () => {
    const pod = podOf(of(await render(), 'Deployment')[0]);
    const [container] = pod.containers;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounted = container.volumeMounts.map(({ name, mountPath }) => [name, mountPath]);
    expect(mounted).toEqual(theirs.volumeMounts.map((each) => [each.volumeName, each.mountPath]));
    expect(pod.volumes.map(({ name, emptyDir }) => [name, emptyDir])).toEqual([
      ['data', {}],
      ['tmp', {}],
    ]);
    expect(pod.automountServiceAccountToken).toBe(false);
    // Variables of a Service called millrace would be taken for settings.
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('is one Deployment behind a Service; split, the Service leads to the one that serves', async () => {
    const roles = (manifests: readonly Manifest[]) =>
      of(manifests, 'Deployment').map((each) => [
        each.metadata.name,
        each.spec.replicas,
        podOf(each).containers[0].env.find(({ name }) => name === 'MILLRACE_ROLE')?.value,
      ]);
    const labelled = (manifests: readonly Manifest[]) => {
      const [service] = of(manifests, 'Service');
      return of(manifests, 'Deployment')
        .filter(({ spec }) =>
          Object.entries(service?.spec.selector ?? {}).every(
            ([label, value]) => spec.template.metadata.labels[label] === value,
          ),
        )
        .map(({ metadata }) => metadata.name);
    };
    const [one, two] = [await render(), await render({ split: true })];
    expect(roles(one)).toEqual([['queue', 1, 'all']]);
    expect(labelled(one)).toEqual(['queue']);
    expect(roles(two)).toEqual([
      ['queue-api', 2, 'api'],
      ['queue-worker', 2, 'worker'],
    ]);
    expect(labelled(two)).toEqual(['queue-api']);
    expect(of(two, 'Service')[0]?.spec.ports).toEqual([
      { name: 'http', port: 80, targetPort: 'http' },
    ]);
    expect(of(two, 'HorizontalPodAutoscaler')).toEqual([]);
  });

  it('grows what works, and then says no number of its own', async () => {
    for (const [split, target] of [
      [false, 'queue'],
      [true, 'queue-worker'],
    ]) {
      const manifests = await render({ split, autoscaling: { enabled: true } });
      const [scaler] = of(manifests, 'HorizontalPodAutoscaler');
      expect(scaler?.spec.scaleTargetRef?.name).toBe(target);
      const grown = of(manifests, 'Deployment').find(({ metadata }) => metadata.name === target);
      expect(grown?.spec).not.toHaveProperty('replicas');
    }
  });
});
