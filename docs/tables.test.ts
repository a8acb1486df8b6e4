import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, JOB_ERRORS, JOB_PHASES, jobState } from '@millrace/api';
import { failures as ofPipelines } from '@millrace/pipelines/contract';
import { failures as ofQueries } from '@millrace/queries/contract';
import { failures as ofReports } from '@millrace/reports/contract';
import {
  FINISHED_STATES,
  PHASES,
  STATES,
  TRANSITIONS,
  isFinished,
  statesBefore,
} from '@millrace/engine';
import { FIELDS, RECORD_CODES } from '@millrace/store-salesforce';
import { describe, expect, it } from 'vitest';
import { CANCELABLE, RETRYABLE, hasEnded } from '../cli/src/jobs/ended.ts';
import { permissionSets } from '../salesforce-package/scripts/lib/permissions.mjs';
import { PROBLEMS } from '../workloads/queries/src/validate.ts';
import { sectionsOf } from './test/markdown.ts';
import { METADATA } from './test/org.ts';

/**
 * Job states, the fields of Generated_Document__c, the codes of failed documents and what can be wrong with SQL are one table
 * each: the engine's states.ts, the store's fields.ts and codes.ts, findings.ts of the queries. What cannot import them is held against them here, so that whoever adds to
 * one place only learns of the others.
 */

const page = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const source = (path: string) => readFileSync(join(METADATA, path), 'utf8');
const fieldFile = (name: string) =>
  source(`objects/Generated_Document__c/fields/${name}.field-meta.xml`);

/** The second group of every match, by the first. */
function pairsIn(text: string, pattern: RegExp): [string, string][] {
  return [...text.matchAll(pattern)].map(([, key = '', value = '']) => [key, value]);
}

/** Every match's first group. */
function wordsIn(text: string, pattern: RegExp): string[] {
  return pairsIn(text, pattern).map(([word]) => word);
}

function tableIn(markdown: string, title: string): string[][] {
  const { text = '' } = sectionsOf(markdown).find((section) => section.title === title) ?? {};
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it('what can be wrong with SQL is in the tutorial, and nothing else', () => {
  const rows = tableIn(page('queries.md'), 'What can be wrong with SQL');
  const wanted = Object.entries(PROBLEMS).map(([code, { severity, about }]) => [
    `\`${code}\``,
    severity,
    about,
  ]);
  expect(rows).toEqual(wanted);
});

const codesIn = (cell = '') => wordsIn(cell, /`(\w+)`/g);

describe('job states', () => {
  it('are those of the API and of the command line', () => {
    expect(jobState.options).toEqual(STATES);
    expect(JOB_PHASES).toEqual(PHASES);
    expect(STATES.filter(hasEnded)).toEqual(FINISHED_STATES);
    expect(CANCELABLE).toEqual(statesBefore('cancel'));
    expect(RETRYABLE).toEqual(statesBefore('requeue'));
  });

  it('are in the documentation of the API, with their moves', () => {
    const rows = tableIn(page('api.md'), 'The states of a job');
    expect(rows.map(([state]) => codesIn(state)[0])).toEqual(STATES);
    for (const [state, , after] of rows)
      expect(new Set(codesIn(after)), state).toEqual(nextOf(codesIn(state)[0]));
  });

  it('are those of the picklist and of Apex', () => {
    const picklist = fieldFile('Status__c');
    expect(wordsIn(picklist, /<value>\s*<fullName>(\w+)</g)).toEqual(STATES);
    const apex = source('classes/DocgenRows.cls');
    expect(pairsIn(apex, /String ([A-Z]+) = '(\w+)';/g)).toEqual([
      ...STATES.map((state) => [state, state]),
      ['LIVE', 'LIVE'],
    ]);
    const [, ends = ''] = /ENDS = new Set<String>\{([^}]+)\}/.exec(apex) ?? [];
    expect(wordsIn(ends, /(\w+)/g)).toEqual(FINISHED_STATES);
  });

  it('move in the trigger as they do in the engine; only a claim makes them PROCESSING', () => {
    const [, moves = ''] =
      /MOVES = new Map<[^{]+\{(.+?)\n  \};/s.exec(source('classes/GeneratedDocumentHandler.cls')) ??
      [];
    const rows = pairsIn(moves, /DocgenRows\.(\w+) => new Set<String>(?:\(\)|\{([^}]+)\})/g);
    expect(rows.map(([state]) => state)).toEqual(STATES);
    for (const [state, after] of rows) {
      const allowed = nextOf(state);
      allowed.delete('PROCESSING');
      expect(new Set(wordsIn(after, /DocgenRows\.(\w+)/g)), state).toEqual(allowed);
    }
  });

  it('are those of the components', () => {
    const [, states = ''] =
      /const STATES = \{(.+?)\n\};/s.exec(source('lwc/docgenStatus/docgenStatus.js')) ?? [];
    const looks = pairsIn(states, /^ {2}(\w+): state\((.+?)\n {2}\}\),/gms);
    expect(looks.map(([state]) => state)).toEqual(STATES);
    const having = (flag: string) =>
      looks.filter(([, look]) => look.includes(`${flag}: true`)).map(([state]) => state);
    expect(having('over')).toEqual(FINISHED_STATES);
    expect(having('canRetry')).toEqual(statesBefore('requeue'));
    // Nothing is gained by cancelling what has failed.
    expect(having('canCancel')).toEqual(statesBefore('cancel').filter((each) => !isFinished(each)));
  });

  function nextOf(state = ''): Set<string> {
    return new Set(Object.values(TRANSITIONS[state as keyof typeof TRANSITIONS]));
  }
});

describe('fields of Generated_Document__c', () => {
  /** Of the package alone: what a document is made from, which the service reads in the request. */
  const PACKAGE_ONLY = ['Account__c', 'Case__c', 'Opportunity__c', 'Template__c'];
  const files = readdirSync(join(METADATA, 'objects/Generated_Document__c/fields')).map((file) =>
    file.replace('.field-meta.xml', ''),
  );

  it('are those of the store', () => {
    const ours = Object.values(FIELDS).map(({ name }) => name);
    expect([...ours, ...PACKAGE_ONLY].toSorted()).toEqual(files.toSorted());
  });

  it.each(Object.values(FIELDS))('$name holds what the store reads: $holds', ({ name, holds }) => {
    const types = {
      text: ['Text', 'LongTextArea', 'Picklist'],
      number: ['Number'],
      time: ['DateTime'],
      flag: ['Checkbox'],
    };
    const [type] = wordsIn(fieldFile(name), /<type>(\w+)</g);
    expect(types[holds]).toContain(type);
  });

  it('have their rights in every permission set: npm run permissions', () => {
    for (const { path, stored, wanted } of permissionSets(METADATA))
      expect(stored === wanted, path).toBe(true);
  });
});

describe('codes of failed documents', () => {
  const ours: Readonly<Record<string, { readonly retryable: boolean }>> = RECORD_CODES;
  const codes = Object.keys(ours);
  /** An org has no chunks, no webhooks, no queries, no reports and no pipelines, and its kind returns outcomes. */
  const NEVER_IN_AN_ORG = /^(aborted|invalid_outcome|webhooks?_\w+)$/;

  it('are those of the service and of the Apex', () => {
    const callout = source('classes/DocgenCallout.cls');
    const ofApex = [...new Set(wordsIn(callout, /handBack\('(\w+)'/g))];
    const ofService = Object.keys(JOB_ERRORS).filter(
      (code) =>
        !NEVER_IN_AN_ORG.test(code) &&
        ![ofQueries, ofReports, ofPipelines].some((others) => code in others),
    );
    expect(codes.toSorted()).toEqual([...ofService, ...ofApex].toSorted());
    for (const [code, { retryable }] of Object.entries(JOB_ERRORS))
      if (code in ours) expect(ours[code]?.retryable, code).toBe(retryable);
  });

  it('that Apex writes or judges by are known to the service', () => {
    const [, lost = ''] = /WORKER_LOST = '(\w+)'/.exec(source('classes/DocgenTakeOver.cls')) ?? [];
    expect(codes).toContain(lost);
    const [, final = ''] =
      /FINAL_CODES = new Set<String>\{([^}]+)\}/.exec(source('classes/DocgenCallout.cls')) ?? [];
    const refusals: Readonly<Record<string, { readonly retryable: boolean }>> = ERRORS;
    for (const code of wordsIn(final, /'(\w+)'/g))
      expect(refusals[code]?.retryable, code).toBe(false);
  });

  it('have a row in the documentation, which says the same', () => {
    const rows = tableIn(page('salesforce.md'), 'When something is wrong');
    const said = rows.flatMap(([cell, again]) => codesIn(cell).map((code) => [code, again]));
    expect(said.map(([code = '']) => code).toSorted()).toEqual(codes.toSorted());
    for (const [code = '', again] of said)
      if (again !== 'it depends') expect(again, code).toBe(ours[code]?.retryable ? 'yes' : 'no');
  });

  it('have a sentence of the components, or the one for all others', () => {
    /** People cannot do anything about these, or the document is still in the queue. */
    const others = ['unknown', 'result_unstorable', 'erased', 'callout_late', 'callout_failed'];
    const [, reasons = ''] =
      /const REASONS = \{(.+?)\n\};/s.exec(source('lwc/docgenStatus/docgenStatus.js')) ?? [];
    const said = wordsIn(reasons, /^ {2}(\w+): texts\./gm);
    expect([...said, ...others].toSorted()).toEqual(codes.toSorted());
  });

  it('are the only ones that labels are for', () => {
    const labels = source('labels/CustomLabels.labels-meta.xml');
    const told = pairsIn(
      labels,
      /<fullName>Docgen_Reason(\w+)<.*?<shortDescription>(.*?)</gs,
    ).filter(([name]) => name !== 'Unknown');
    expect(told.length).toBeGreaterThan(0);
    for (const [name, code] of told) expect(codes, name).toContain(code);
  });
});
