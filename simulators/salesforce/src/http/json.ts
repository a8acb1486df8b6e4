import { ApiError } from '../errors.ts';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : '';
    throw new ApiError(
      'JSON_PARSER_ERROR',
      text === '' ? 'No content to map to Object due to end of input' : reason,
    );
  }
}
