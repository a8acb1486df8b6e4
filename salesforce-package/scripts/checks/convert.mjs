// The package as `sf project deploy start` would send it: whether Salesforce's own converter takes every file for metadata, and
// leaves none out. It is the library that sf uses, without sf.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { filesBelow } from '../lib/project.mjs';

/** As .forceignore says. */
const NOT_FOR_AN_ORG = /[/\\]__tests__[/\\]|(jsconfig|\.eslintrc)\.json$/;

/** @param {string} project @returns {Promise<import('./apex.mjs').Outcome>} */
export async function convert(project) {
  const source = join(project, 'force-app');
  const outputDirectory = mkdtempSync(join(tmpdir(), 'converted-'));
  // It would keep one in the home folder.
  process.env['SF_DISABLE_LOG_FILE'] = 'true';
  // Not before: it takes a second.
  const { ComponentSet, MetadataConverter } = await import('@salesforce/source-deploy-retrieve');
  try {
    const components = ComponentSet.fromSource(source);
    await new MetadataConverter().convert(components, 'metadata', {
      type: 'directory',
      outputDirectory,
      genUniqueDir: false,
    });
    const taken = new Set([...components.getSourceComponents()].flatMap(filesOf));
    const left = filesBelow(source).filter(
      (path) => !taken.has(path) && !NOT_FOR_AN_ORG.test(path),
    );
    return {
      problems: left.map(
        (path) => `${relative(project, path)} is of no component, so it stays behind.`,
      ),
      note: `${components.size} components, ${taken.size} files`,
    };
  } catch (error) {
    return { problems: [`The converter refuses force-app: ${String(error)}`] };
  } finally {
    rmSync(outputDirectory, { recursive: true });
  }
}

/** @param {import('@salesforce/source-deploy-retrieve').SourceComponent} component @returns {string[]} */
function filesOf(component) {
  const own = component.xml === undefined ? [] : [component.xml];
  return [...own, ...component.walkContent(), ...component.getChildren().flatMap(filesOf)];
}
