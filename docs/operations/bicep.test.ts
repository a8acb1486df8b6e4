import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Bicep, resourceIn, textsIn } from '../test/bicep.ts';

// There is no compiler of Bicep here and no Azure: what is checked is that both files describe the same app.

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const text = read('container-app.bicep');
const texts = textsIn(text);
const bicep = settled(resourceIn(text));
const yaml = settled(parse(read('container-app.yaml')) as Bicep);

/** Variables as their text; in values, what whoever deploys it fills in (capitals in the one, parameters in the other) as `…`. */
function settled(value: Bicep, key = ''): unknown {
  if (typeof value === 'string') {
    // One line in the one, four in the other.
    if (key === 'query') return value.replaceAll(/\s+/g, ' ');
    return key === 'value' ? value.replaceAll(/\$\{\w+\}|\b[A-Z]{2,}(?:-[A-Z]+)*\b/g, '…') : value;
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each: Bicep) => settled(each));
  if ('named' in value && typeof value.named === 'string') return texts.get(value.named) ?? '…';
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, settled(each as Bicep, name)]),
  );
}

interface App {
  readonly properties: {
    readonly configuration: {
      readonly ingress: object;
      readonly secrets: readonly { readonly name: string }[];
    };
    readonly template: {
      readonly terminationGracePeriodSeconds: number;
      readonly containers: readonly {
        readonly env: readonly { readonly name: string; readonly value?: string }[];
        readonly resources: object;
        readonly probes: object;
        readonly volumeMounts: object;
      }[];
      readonly volumes: object;
      readonly scale: { readonly rules: object };
    };
  };
}

const [ours, theirs] = [bicep as App, yaml as App].map(({ properties }) => properties);

describe('container-app.bicep says what container-app.yaml says', () => {
  const [mine, other] = [ours, theirs].map((each) => each?.template.containers[0]);

  it.each(['resources', 'probes', 'volumeMounts'] as const)('%s', (part) => {
    expect(mine?.[part]).toBeTypeOf('object');
    expect(mine?.[part]).toEqual(other?.[part]);
  });

  it('ingress, volumes and the time to end', () => {
    expect(ours?.configuration.ingress).toEqual(theirs?.configuration.ingress);
    expect(ours?.template.volumes).toEqual(theirs?.template.volumes);
    expect(ours?.template.terminationGracePeriodSeconds).toBe(480);
    expect(theirs?.template.terminationGracePeriodSeconds).toBe(480);
  });

  it('environment variables: the same names, the same constants, the same references', () => {
    const isFixed = ({ value }: { readonly value?: string }) => value?.includes('…') !== true;
    const [one, two] = [mine, other].map((each) => each?.env ?? []);
    expect(one?.map(({ name }) => name)).toEqual(two?.map(({ name }) => name));
    expect(one?.filter(isFixed)).toEqual(two?.filter(isFixed));
    expect(one?.filter(isFixed).length).toBeGreaterThan(4);
  });

  it('secrets in the vault, by the same names', () => {
    const names = (each: typeof ours) => each?.configuration.secrets.map(({ name }) => name);
    expect(names(ours)).toEqual(names(theirs));
    expect(text).not.toMatch(/postgres:\/\/|InstrumentationKey/);
  });

  it('the rule by which it grows, down to its query', () => {
    expect(ours?.template.scale.rules).toEqual(theirs?.template.scale.rules);
  });
});
