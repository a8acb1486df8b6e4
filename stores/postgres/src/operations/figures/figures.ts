import type { Figures } from '../../figures.ts';
import type { Context } from '../context.ts';
import { failures } from './failures.ts';
import { keepRollups, sumRollups, tidyRollups } from './rollups.ts';
import { keepSamples, readSamples, wantsSample } from './samples.ts';
import { waiting } from './waiting.ts';

export function figuresOf(context: Context, listen: Figures['listen']): Figures {
  return {
    keep: (request) => keepRollups(context, request),
    sum: (request) => sumRollups(context, request),
    wantsSample: (request) => wantsSample(context, request),
    sample: (request) => keepSamples(context, request),
    samples: (request) => readSamples(context, request),
    tidy: () => tidyRollups(context),
    waiting: () => waiting(context),
    failures: (request) => failures(context, request),
    listen,
  };
}
