import { describe, expect, it } from 'vitest';
import {
  type JobState,
  type Move,
  STATES,
  canMove,
  isFinished,
  nextState,
  statesBefore,
} from './states.ts';

/** Written out a second time, as the documentation has it: the table itself must not be its own proof. */
const LEGAL: readonly [JobState, Move, JobState][] = [
  ['QUEUED', 'claim', 'PROCESSING'],
  ['QUEUED', 'cancel', 'CANCELED'],
  ['PROCESSING', 'succeed', 'SUCCEEDED'],
  ['PROCESSING', 'fail', 'FAILED'],
  ['PROCESSING', 'cancel', 'CANCELED'],
  ['PROCESSING', 'retry', 'QUEUED'],
  ['PROCESSING', 'defer', 'QUEUED'],
  ['PROCESSING', 'handBack', 'QUEUED'],
  ['PROCESSING', 'takeOver', 'QUEUED'],
  ['FAILED', 'cancel', 'CANCELED'],
  ['FAILED', 'requeue', 'QUEUED'],
  ['CANCELED', 'requeue', 'QUEUED'],
];
const MOVES: readonly Move[] = [
  'claim',
  'succeed',
  'fail',
  'retry',
  'defer',
  'handBack',
  'takeOver',
  'cancel',
  'requeue',
];

describe.each(STATES)('a job that is %s', (from) => {
  it.each(MOVES)('and %s', (move) => {
    const to = LEGAL.find(([state, by]) => state === from && by === move)?.[2];
    expect(canMove(from, move)).toBe(to !== undefined);
    if (to === undefined) {
      expect(() => nextState(from, move)).toThrow(
        expect.objectContaining({ code: 'illegal_transition' }),
      );
      expect(() => nextState(from, move)).toThrow(`A job that is ${from} cannot ${move}.`);
    } else expect(nextState(from, move)).toBe(to);
  });
});

it('knows where a move may start', () => {
  expect(statesBefore('cancel')).toEqual(['QUEUED', 'PROCESSING', 'FAILED']);
  expect(statesBefore('requeue')).toEqual(['FAILED', 'CANCELED']);
});

it('tells an end from a stop on the way', () => {
  expect(STATES.filter(isFinished)).toEqual(['SUCCEEDED', 'FAILED', 'CANCELED']);
});
