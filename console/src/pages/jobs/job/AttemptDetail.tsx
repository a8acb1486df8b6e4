import { failureInWords } from '@millrace/api';
import { Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSetting } from '../../../theme/settings.ts';
import { Time } from '../../../time/Time.tsx';
import { precise } from '../../../time/zone.ts';
import { visible } from '../../../ui/visible.ts';
import { Button } from '../../../ui/button.tsx';
import { copy } from '../../../ui/copy.ts';
import { OwnCode } from '../../../ui/own-code.tsx';
import type { Execution } from './job.ts';

/** The failure of one attempt: the error, the stack with our own frames marked, and the log. */
export function AttemptDetail({ execution, number }: { execution: Execution; number: number }) {
  const { error, stack, worker, log } = execution;
  const text = stack ?? (error === null ? '' : failureInWords(error));
  return (
    <div className="mt-4">
      <p className="mb-2">
        <b>Execution {number}</b>{' '}
        <span className="text-ink-3">
          on {worker ?? 'a worker that is gone'}, <Time at={execution.startedAt} /> to{' '}
          <Time at={execution.endedAt} />
        </span>
      </p>
      {error !== null && (
        <div className="overflow-hidden rounded-node border border-line">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 bg-failed-tint px-3.5 py-2">
            <OwnCode error={error} />
            <b className="line-clamp-6 min-w-0 flex-1 wrap-anywhere">{visible(error.message)}</b>
            <Button
              size="small"
              look="ghost"
              icon={<Copy size={13} />}
              onClick={() => void copy(text, 'Error')}
            >
              Copy
            </Button>
          </div>
          {stack !== null && <Stack text={stack} />}
          {log !== null && log.length > 0 && <Log lines={log} />}
        </div>
      )}
      {error === null && log !== null && log.length > 0 && (
        <div className="overflow-hidden rounded-node border border-line">
          <Log lines={log} />
        </div>
      )}
    </div>
  );
}

/** Frames of people's own files stand out; those of packages are quiet. */
function Stack({ text }: { text: string }) {
  return (
    <pre
      className="overflow-x-auto px-3.5 py-3 leading-4.5 text-ink-2"
      tabIndex={0}
      aria-label="Stack"
    >
      {visible(text)
        .split('\n')
        .map((line, index) => {
          const own = /^\s+at /.test(line) && !/node_modules|node:internal/.test(line);
          return (
            <span
              key={index}
              className={own ? 'text-link' : /^\s+at /.test(line) ? 'text-ink-3' : 'text-ink'}
            >
              {`${line}\n`}
            </span>
          );
        })}
    </pre>
  );
}

export function Log({
  lines,
}: {
  lines: readonly {
    at: string;
    level: string;
    message: string;
    step?: { name: string; ms: number } | undefined;
  }[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const zone = useSetting('time') === 'utc' ? 'utc' : 'local';
  // Who reads further up stays there.
  const follows = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  const tone = (level: string): string =>
    level === 'error' ? 'text-failed' : level === 'warn' ? 'text-retrying' : 'text-ink-3';
  // Steps are drawn beside each other, the longest as wide as there is room.
  const longest = Math.max(1, ...lines.map(({ step }) => step?.ms ?? 0));
  return (
    <div
      ref={box}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
      className="max-h-80 overflow-auto border-t print:max-h-none border-line bg-well px-3.5 py-2.5 font-mono text-small leading-4.5"
      tabIndex={0}
      role="log"
      aria-label="Log"
    >
      {lines.map(({ at, level, message, step }, index) => (
        <div key={index} className="flex gap-3 whitespace-nowrap">
          <span className="text-ink-3">{precise(Date.parse(at), zone)}</span>
          <span className={`w-10 ${tone(level)}`}>{level}</span>
          <span>{visible(message)}</span>
          {step !== undefined && (
            <i
              aria-hidden="true"
              className="my-auto h-2 flex-none rounded-[2px] bg-water-2"
              style={{ width: `${Math.max(2, (160 * step.ms) / longest)}px` }}
            />
          )}
        </div>
      ))}
    </div>
  );
}
