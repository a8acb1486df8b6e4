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

/** JSON Schema, without what costs words and tells a model nothing. */
export function jsonSchemaOf(tool: Tool): ObjectSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(inputOf(tool), {
    io: 'input',
    override({ jsonSchema }) {
      // The format says it; the pattern is 200 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // Zod's way to say "whole": Number.MAX_SAFE_INTEGER.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { ...schema, type: 'object' };
}

export interface Wrong {
  readonly path: string;
  readonly message: string;
}

export function wrongIn({ issues }: z.ZodError): Wrong[] {
  return issues.map(({ path, message }) => ({ path: path.join('.'), message }));
}
