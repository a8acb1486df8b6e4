import type { Place } from '../../errors.ts';
import { closest } from '../../xml/tokens.ts';
import type { CleanPart } from './clean.ts';
import { type Field, textOf } from './fields.ts';
import type { FoundTags } from '../tags/tags.ts';

export interface UnfilledField {
  readonly place: Place;
  readonly message: string;
}

/** Word's fields that mean something in a mail merge only. */
const MAIL_MERGE = /^(?:GREETINGLINE|ADDRESSBLOCK|NEXT|NEXTIF|SKIPIF|MERGEREC|MERGESEQ)$/i;
/** Fields that work something out of their words: a value there changes nothing that is shown. */
const COMPUTED = /^(?:IF|COMPARE|SET|QUOTE|=.*)$/i;

/** Fields that would show what they showed in the template, or nothing, whatever the data. */
export function unfilledFields(
  { name, tokens, fields }: CleanPart,
  { paragraphs }: FoundTags,
): UnfilledField[] {
  const unfilled = new Set<Field>();
  let outer: Field | undefined;
  const inOrder = fields.toSorted((a, b) => beginOf(a) - beginOf(b));
  for (const field of inOrder) {
    if (!field.inInstruction || !outer) outer = field;
    const isMerged = /^MERGEFIELD$/i.test(field.name) && field !== outer;
    const isComputed = COMPUTED.test(field.name) && textOf(field).includes('{{');
    if (isMerged || isComputed || MAIL_MERGE.test(field.name)) unfilled.add(outer);
  }
  return [...unfilled].map((field) => {
    const begin = field.marks[0];
    const paragraph = begin && closest(tokens, begin, 'w:p');
    const number = (paragraph && paragraphs.get(paragraph)?.number) ?? 0;
    const snippet = textOf(field).replaceAll(/\s+/g, ' ').trim().slice(0, 80);
    const what = `Word's field ${field.name.slice(0, 40)} is not filled. ${insteadOf(field.name)}`;
    return { place: { part: name, paragraph: number, snippet }, message: what };
  });
}

/** Switches of merge fields that are not followed. */
export function ignoredSwitches(
  { name, tokens, fieldNotes }: CleanPart,
  { paragraphs }: FoundTags,
): UnfilledField[] {
  return [...fieldNotes].flatMap(([token, { instruction, sentences }]) => {
    const paragraph = closest(tokens, token, 'w:p');
    const number = (paragraph && paragraphs.get(paragraph)?.number) ?? 0;
    const snippet = instruction.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
    return sentences.map((message) => ({
      place: { part: name, paragraph: number, snippet },
      message,
    }));
  });
}

function beginOf({ marks }: Field): number {
  return marks[0]?.index ?? 0;
}

function insteadOf(name: string): string {
  switch (name.toUpperCase()) {
    case 'IF':
    case 'COMPARE':
      return 'Write {{#if eq Title "m"}}Herr{{else}}Frau{{/if}} instead of it.';
    case 'GREETINGLINE':
      return 'Write the greeting with tags: Dear {{FirstName}} {{LastName}},';
    case 'ADDRESSBLOCK':
      return 'Write the address with tags: {{Street}}, {{PostalCode}} {{City}}';
    case 'NEXT':
    case 'NEXTIF':
    case 'SKIPIF':
      return 'Write {{#each Records}} … {{/each}} around what is repeated, with {{#if …}} for what is left out.';
    case 'MERGEREC':
    case 'MERGESEQ':
      return 'Write {{@number}} inside of {{#each Records}} … {{/each}}.';
    default:
      return name.startsWith('=')
        ? 'Give the result with the data and write {{number Total}}.'
        : 'Write a tag instead of it, such as {{Name}}.';
  }
}
