import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApi } from '@millrace/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Workspace, faultsOf, publishedPackages, workspaces } from './packages/list.mjs';
import { changesOf, folderFault, refusals, versionFaults } from './release/checks.mjs';
import { type Item, collectionOf } from './release/collection.mjs';
import { contextFiles } from './release/context.mjs';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-20

### Added

- A thing.

## [1.1.0] - 2026-10-01

- Another.
`;

describe('a release', () => {
  const ready = { version: '1.2.0', changed: [], tags: ['v1.2.0'], changelog: CHANGELOG };

  it('goes out from a clean tree on its tag, with its changes', () => {
    expect(refusals(ready)).toEqual([]);
    expect(changesOf(CHANGELOG, '1.2.0')).toBe('### Added\n\n- A thing.');
  });

  it.each([
    ['a changed file', { changed: ['engine/src/port.ts'] }, 'engine/src/port.ts'],
    ['no tag', { tags: [] }, 'git tag v1.2.0'],
    ['the tag of another version', { tags: ['v1.1.0'] }, 'git tag v1.2.0'],
    ['no section in the changelog', { version: '1.3.0', tags: ['v1.3.0'] }, '[1.3.0]'],
    ['an empty section', { version: 'Unreleased', tags: ['vUnreleased'] }, '[Unreleased]'],
  ])('is refused with %s', (_, change, reason) => {
    const sentences = refusals({ ...ready, ...change });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(reason);
  });

  it('replaces a release, and no other folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(folderFault(folder)).toBeNull();
    expect(folderFault(join(folder, 'new'))).toBeNull();
    writeFileSync(join(folder, 'CHANGES.md'), '');
    expect(folderFault(folder)).toContain('would be removed');
    writeFileSync(join(folder, 'SHA256SUMS'), '');
    expect(folderFault(folder)).toBeNull();
  });
});

describe('packages', () => {
  const version = '0.1.0';
  const workspace = (name: string, manifest: object = {}): Workspace => ({
    folder: name,
    manifest: { name, version, ...manifest },
  });

  it('of this tree fit together', () => {
    expect(versionFaults(workspaces()[0]?.manifest.version ?? '')).toEqual([]);
    expect(versionFaults('9.9.9')).toContainEqual(expect.stringContaining('Chart.yaml'));
  });

  it('are published after what they need, and never the tests of the project', () => {
    const names = publishedPackages().map(({ manifest }) => manifest.name);
    expect(names.at(-1)).toBe('millrace');
    expect(names.indexOf('@millrace/engine')).toBeLessThan(names.indexOf('@millrace/testkit'));
    expect(names).not.toContain('@millrace/store-contract');
  });

  it.each([
    ['another version', workspace('b', { version: '0.2.0' }), 'has version 0.2.0'],
    ['a range', workspace('b', { dependencies: { a: '^0.1.0' } }), 'asks for a ^0.1.0'],
    ['a peer of another version', workspace('b', { peerDependencies: { a: '1.0.0' } }), 'asks for'],
    ['what is private', workspace('b', { dependencies: { c: version } }), 'which is private'],
  ])('are refused with %s', (_, other, reason) => {
    const all = [workspace('a'), other, workspace('c', { private: true })];
    expect(faultsOf(all, version)).toEqual([expect.stringContaining(reason)]);
  });
});

it('the image is built from what its ignore file lets in, and its Dockerfile', () => {
  const files = ['docs/operations/Dockerfile', 'docs/cli.md', 'engine/src/port.ts', '.env'];
  expect(contextFiles(files, '*\n!engine\n')).toEqual([
    'docs/operations/Dockerfile',
    'engine/src/port.ts',
  ]);
});

describe('the collection of requests', () => {
  const document = openApi({ version: '0.1.0' });
  const collection = collectionOf(document);
  const items = collection.item.flatMap(({ item }) => item);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const itemOf = (id: string) => items.find((item) => item.id === id) as Item;

  it('has every route once', () => {
    const routes = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace('.{format}', '.csv')}`,
    );
    const requests = items.map(
      ({ request: { method, url } }) =>
        `${method} /${url.path.map((part) => part.replaceAll(/:(\w+)/g, '{$1}')).join('/')}`,
    );
    expect(requests.toSorted()).toEqual(routes.toSorted());
  });

  it('asks for a token by a variable, and for none where none is needed', () => {
    expect(collection.auth.bearer).toEqual([expect.objectContaining({ value: '{{token}}' })]);
    expect(collection.variable.find(({ key }) => key === 'token')?.value).toBe('');
    for (const { operation } of operations) {
      const { auth } = itemOf(operation.operationId).request;
      expect(auth).toEqual(operation.security.length === 0 ? { type: 'noauth' } : undefined);
    }
  });

  it('has a variable for each part of a path, and bodies that are JSON', () => {
    for (const { path, operation } of operations) {
      const { url, body } = itemOf(operation.operationId).request;
      // Postman does not support variables for a part of a path segment.
      const parts = [...path.matchAll(/\/\{(\w+)\}(?=\/|$)/g)].map(([, name]) => name);
      expect(url.variable.map(({ key }) => key)).toEqual(parts);
      expect(url.raw).toMatch(/^\{\{baseUrl\}\}\//);
      if (body?.mode === 'raw') expect(() => JSON.parse(body.raw) as unknown).not.toThrow();
    }
    expect(JSON.parse((itemOf('enqueue').request.body as { raw: string }).raw)).toHaveProperty(
      'kind',
    );
  });
});
