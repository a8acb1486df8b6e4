// DocgenVectors.cls: the vectors that Node and Apex share, written as Apex. A field's value comes with the zeros of
// its scale (12.50), so fractions here have one zero more than in the file.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apexText, classFile, classFolder } from './apex-source.mjs';
import { packageRoot } from './project.mjs';

export const vectorsFile = join(
  dirname(packageRoot),
  'workloads/documents/test/idempotency-vectors.json',
);
export const vectorsClass = join(classFolder, 'DocgenVectors.cls');

/** @typedef {{ name: string, templateId: string, outputFormat: string, data: unknown, canonical: string, hash: string }} Vector */

/** @param {string} source force-app/main/default */
export async function differsFromVectors(source) {
  const wanted = await vectorsSource();
  if (wanted === undefined)
    return { problems: [], note: 'the service is not beside the package', skipped: true };
  const same = readFileSync(join(source, 'classes/DocgenVectors.cls'), 'utf8') === wanted;
  return {
    problems: same
      ? []
      : ['DocgenVectors.cls differs from the vectors of the service. Run: npm run vectors'],
  };
}

/** What the class should be; undefined where the package stands alone, without the service's sources. */
export async function vectorsSource() {
  if (!existsSync(vectorsFile)) return undefined;
  /** @type {Vector[]} */
  const vectors = JSON.parse(readFileSync(vectorsFile, 'utf8'));
  // Salesforce keeps UTF-8, which has no lone surrogates.
  const possible = vectors.filter(({ data }) => !/\\ud[89a-f]/.test(JSON.stringify(data)));
  return classFile(`/** Made by scripts/vectors.mjs from the vectors that the service is tested with; do not edit by hand. */
@IsTest
public class DocgenVectors {
  public class Vector {
    public String name;
    public String templateId;
    public String outputFormat;
    public Map<String, Object> data;
    public String canonical;
    public String hash;
  }

  private static Vector make(List<String> texts, Map<String, Object> data) {
    Vector made = new Vector();
    made.name = texts[0];
    made.templateId = texts[1];
    made.outputFormat = texts[2];
    made.canonical = texts[3];
    made.hash = texts[4];
    made.data = data;
    return made;
  }

  public static List<Vector> all() {
    return new List<Vector>{ ${possible.map(vector).join(',\n')} };
  }
}
`);
}

/** @param {Vector} given */
function vector({ name, templateId, outputFormat, canonical, hash, data }) {
  const texts = [name, templateId, outputFormat, canonical, hash].map(apexText);
  return `make(new List<String>{ ${texts.join(', ')} }, ${literal(data)})`;
}

/** @param {unknown} value @returns {string} */
function literal(value) {
  if (typeof value === 'string') return apexText(value);
  if (typeof value === 'number') return number(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `new List<Object>{ ${value.map(literal).join(', ')} }`;
  const members = Object.entries(value).map(
    ([key, member]) => `${apexText(key)} => ${literal(member)}`,
  );
  return `new Map<String, Object>{ ${members.join(', ')} }`;
}

/** @param {number} value */
function number(value) {
  if (Number.isSafeInteger(value))
    return Math.abs(value) < 2 ** 31 ? String(value + 0) : `${value}L`;
  // Apex refuses a Decimal with more than 33 places.
  const places = Math.abs(Math.log10(Math.abs(value)));
  if (places > 30) return `Double.valueOf('${value}')`;
  return `Decimal.valueOf('${plain(value)}0')`;
}

/** Without a power of ten. @param {number} value */
function plain(value) {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const at = whole.length + Number(power);
  const digits = `${whole}${fraction}`.padStart(
    whole.length + fraction.length + Math.max(0, 1 - at),
    '0',
  );
  const point = Math.max(at, 1);
  const padded = digits.padEnd(point, '0');
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}
