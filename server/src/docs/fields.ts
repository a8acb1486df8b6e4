import type { JsonSchema } from '@millrace/api';
import { type Html, type Part, html, join } from './html.ts';

/** One line of a table of fields. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description: string | undefined;
}

/**
 * A request says what is required and what its values keep to. An answer has all its fields, but those it says,
 * and its values are as they are.
 */
export function fieldTable(fields: readonly Field[], of: 'request' | 'answer'): Html {
  return html`<dl class="fields">${fields.map((field) => fieldRow(field, of))}</dl>`;
}

function fieldRow({ name, required, schema, description }: Field, of: 'request' | 'answer'): Html {
  const limits = of === 'request' ? limitsOf(schema) : [];
  const mark = of === 'request' ? required && 'required' : !required && 'may be missing';
  return html`<div>
    <dt>
      <code>${name}</code> <span class="type">${typeOf(schema)}</span>
      ${mark && html`<span class="mark">${mark}</span>`}
    </dt>
    <dd>
      ${description && sentence(description)}
      ${limits.length > 0 && html`<span class="limits">${join(limits, ' · ')}</span>`}
    </dd>
  </div>`;
}

/** Requests are strict, answers are not. */
export function sideOf({ additionalProperties }: JsonSchema): 'request' | 'answer' {
  return additionalProperties === false ? 'request' : 'answer';
}

/** Backticks are the only markup that descriptions have. */
export function sentence(text: string): Part {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** The fields of an object, those of objects inside it by their path: `quota.running`, `entries[].id`. */
export function fieldsOf(schema: JsonSchema, path = ''): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, value]) => {
    const name = `${path}${key}`;
    const field: Field = {
      name,
      required: required.includes(key),
      schema: value,
      description: value.description,
    };
    return [field, ...inside(value, name)];
  });
}

function inside(schema: JsonSchema, name: string): Field[] {
  if (schema.items !== undefined) return inside(schema.items, `${name}[]`);
  const choice = schema.anyOf?.find(({ type }) => type === 'object');
  return fieldsOf(choice ?? schema, `${name}.`);
}

/** `string`, `array of Job`, `JobState or null`. */
export function typeOf(schema: JsonSchema): Part {
  if (schema.$ref !== undefined) return shapeLink(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return join(
      schema.enum.map((value) => JSON.stringify(value)),
      ' or ',
    );
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return join(choices.map(typeOf), ' or ');
  if (schema.items !== undefined) return ['array of ', typeOf(schema.items)];
  if (typeof schema.additionalProperties === 'object')
    return ['object of ', typeOf(schema.additionalProperties), keysOf(schema)];
  if (typeof schema.type === 'string') return plain(schema.type, schema.format);
  return schema.type === undefined
    ? 'any JSON'
    : schema.type.map((type) => plain(type, schema.format)).join(' or ');
}

function keysOf({ propertyNames }: JsonSchema): Part {
  return propertyNames?.$ref !== undefined && [' by ', shapeLink(propertyNames.$ref)];
}

function plain(type: string, format: string | undefined): string {
  if (type !== 'string') return type;
  return format === 'date-time' ? 'moment' : format === 'uri' ? 'URL' : type;
}

/** `Job` of `#/components/schemas/Job`. */
export function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function shapeLink(ref: string): Html {
  const name = nameIn(ref);
  return html`<a href="#shape-${name}">${name}</a>`;
}

/** The constraints of a value in words. Patterns are left out: their descriptions say the same. */
export function limitsOf(schema: JsonSchema): Part[] {
  const { default: usual } = schema;
  return [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, 'items'),
    range(schema.minProperties, undefined, 'fields'),
    usual !== undefined && html`default <code>${JSON.stringify(usual)}</code>`,
    ...(schema.anyOf ?? []).flatMap(limitsOf),
  ].filter((limit) => limit !== null && limit !== false);
}

function range(least: number | undefined, most: number | undefined, of: string): string | null {
  const unit = of === '' ? '' : ` ${of}`;
  if (least !== undefined && most !== undefined)
    return `${figure(least)} to ${figure(most)}${unit}`;
  if (most !== undefined) return `at most ${figure(most)}${unit}`;
  return least === undefined ? null : `at least ${figure(least)}${unit}`;
}

function figure(value: number): string {
  return value.toLocaleString('en').replace('-', '−');
}
