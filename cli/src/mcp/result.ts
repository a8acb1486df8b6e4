import type { CallToolResult } from '@modelcontextprotocol/server';
import { EXIT } from '../line/exit.ts';
import { failureOf } from '../failure.ts';
import { cleanLines } from '../render/width.ts';
import { ToolRefusal } from './refusal.ts';
import type { Wrong } from './schema.ts';
import { FOREIGN } from './text.ts';
import type { Answer, Foresight } from './tool.ts';

/** Converts results and errors of tools to the protocol: a short text, and the same as data. */

export function resultOf({ lines, data, foreign, failed, links }: Answer): CallToolResult {
  return {
    content: [
      { type: 'text', text: textOf(lines, foreign) },
      ...links.map((link) => ({ type: 'resource_link' as const, ...link })),
    ],
    structuredContent: dataOf(data, foreign),
    ...(failed && { isError: true }),
  };
}

/** The first of two answers: what would happen, and what the second call has to bring. */
export function questionOf(
  tool: string,
  { question, lines, data, foreign }: Foresight,
  { confirm, until }: { readonly confirm: string; readonly until: number },
): CallToolResult {
  const before = new Date(until).toISOString();
  const how = `Nothing has been done yet. To do it, call ${tool} again with the same arguments and confirm "${confirm}", before ${before}. Ask the person you work for first.`;
  return {
    content: [{ type: 'text', text: textOf([question, ...lines, how], foreign) }],
    structuredContent: dataOf({ done: false, question, confirm, before, ...data }, foreign),
  };
}

export function wrongArguments(wrong: readonly Wrong[]): CallToolResult {
  const sentences = wrong.map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  return refused('invalid_arguments', sentences.join(' '), { issues: wrong });
}

export interface Trouble {
  readonly url: string;
  /** Advice for callers that the server could not identify. */
  readonly advice: string | null;
  /** For standard error: bugs of ours. */
  onDefect(sentence: string): void;
}

/** Converts a tool's error: the server's code and sentence if it refused. */
export function failedResult(thrown: unknown, { url, advice, onDefect }: Trouble): CallToolResult {
  if (thrown instanceof ToolRefusal) return refused(thrown.code, thrown.message, {});
  if (thrown instanceof Error && thrown.name === 'AbortError')
    return refused('gone', 'The call was given up before it was answered.', {});
  const { sentence, details, problem, exitCode } = failureOf(thrown, url, advice);
  if (exitCode === EXIT.defect) {
    onDefect(sentence);
    return refused('defect', 'This is a defect of millrace mcp. Its standard error says more.', {});
  }
  const { code, detail: _, ...rest } = problem;
  return refused(code, [sentence, ...details].join(' '), factsOf(rest));
}

/** The fields of a problem that programs branch on. */
function factsOf(problem: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(problem).filter(
    ([name, value]) => ['retryable', 'issues', 'correlationId'].includes(name) && value !== '',
  );
  return Object.fromEntries(kept);
}

function refused(
  code: string,
  detail: string,
  more: Readonly<Record<string, unknown>>,
): CallToolResult {
  const sentence = cleanLines(detail);
  return {
    content: [{ type: 'text', text: `${code}: ${sentence}` }],
    structuredContent: { error: { code, detail: sentence, ...more } },
    isError: true,
  };
}

function textOf(lines: readonly string[], foreign: boolean): string {
  return [...(foreign ? [FOREIGN] : []), ...lines].join('\n');
}

function dataOf(data: Answer['data'], foreign: boolean): Record<string, unknown> {
  return foreign ? { untrusted: FOREIGN, ...data } : { ...data };
}
