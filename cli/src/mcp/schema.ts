import { z } from 'zod';
import type { Tool } from './tool.ts';

/** The input of a tool as its contract says it, for the protocol and for the check of what comes. */

const confirm = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe(
    'As the first answer gave it, with the same arguments as then. Left out: only says what would happen.',
  );

export function inputOf(tool: Tool): z.ZodObject {
  return tool.effect === 'destroys' ? tool.input.safeExtend({ confirm }) : tool.input;
}

export interface ObjectSchema {
  [member: string]: unknown;
  type: 'object';
}

/** JSON Schema without the parts that cost tokens and do not help a model. */
export function jsonSchemaOf(tool: Tool): ObjectSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(inputOf(tool), {
    io: 'input',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return { ...schema, type: 'object' };
}

/** Constraints that are left out of the schema are still checked, and errors name the field. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.minLength;
  delete schema.maxLength;
  delete schema.propertyNames;
  // The format says it; the pattern is 200 characters. Classes such as \p{Cc} are not read by every client.
  if (schema.format === 'date-time' || schema.pattern?.includes('\\p{')) delete schema.pattern;
}

export interface Wrong {
  readonly path: string;
  readonly message: string;
}

export function wrongIn({ issues }: z.ZodError): Wrong[] {
  return issues.map(({ path, message }) => ({ path: path.join('.'), message }));
}
