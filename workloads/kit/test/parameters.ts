import type { Parameter, ParameterType } from '../src/parameters/types.ts';

/** A parameter of which a test says what it is about. */
export function parameter(type: ParameterType, more: Partial<Parameter> = {}): Parameter {
  return {
    name: 'it',
    type,
    label: 'It',
    help: null,
    required: true,
    default: null,
    min: null,
    max: null,
    notBefore: null,
    choices: [],
    list: false,
    suggest: null,
    ...more,
  };
}
