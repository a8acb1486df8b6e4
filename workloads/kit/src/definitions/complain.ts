import type { Complaint, FilePath } from './types.ts';

/** Takes down what is wrong with a file. What is found is found in one go, so that nobody has to save ten times. */
export type Complain = (
  path: FilePath,
  message: string,
  more?: Pick<Complaint, 'atKey' | 'within'>,
) => void;

/** Sentences about values begin with a capital letter; after a path and a colon they do not. */
export function small(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
