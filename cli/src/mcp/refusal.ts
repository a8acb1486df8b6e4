/** Errors of `millrace mcp` itself; all others come from the server with its codes. docs/agents.md has this table. */
export const TOOL_ERRORS = {
  invalid_arguments:
    'The arguments are not as the schema of the tool says. `issues` names each one that is wrong.',
  confirmation_invalid:
    'The `confirm` is none for this call: it was made up, used, given for other arguments or to somebody else, or is older than 10 minutes. Call without it.',
  confirmation_stale:
    'The target has changed since the question. Nothing was changed. Call again without `confirm`.',
  declined:
    'A person was asked, and did not agree or did not answer. Nothing was changed. Do not ask again unless they want it.',
  nothing_to_do: 'No job takes the action. Nothing was changed.',
  file_refused: 'The file cannot be saved there. Name a new file inside the folder of `--files`.',
  gone: 'The call was given up before it was answered.',
  defect: 'This is a defect of `millrace mcp`; its standard error says more.',
} as const;

export type ToolErrorCode = keyof typeof TOOL_ERRORS;

/** Thrown by tools; the server's own refusals are `ApiError`s. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly code: string;
  constructor(
    code: ToolErrorCode | 'illegal_transition' | 'conflict' | 'run_finished',
    message: string,
  ) {
    super(message);
    this.code = code;
  }
}
