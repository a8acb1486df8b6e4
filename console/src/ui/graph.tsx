import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { NODE_HEIGHT, fitted, laidOut, pathOf, stagesOf } from './graph-layout.ts';
import { type Phase, StateIcon } from './state.tsx';

export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly phase: Phase | null;
  readonly after: readonly string[];
  /** It waits for all of several. */
  readonly joins?: boolean;
  readonly extra?: ReactNode;
}

/** Stages from left to right: solid what is done, moving dashes what flows, dots what waits. A list where they have no room. */
export function Graph({
  label,
  nodes,
  onOpen,
}: {
  label: string;
  nodes: readonly GraphNode[];
  onOpen?: (id: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const available = useWidth(frame);
  const stages = stagesOf(nodes);
  const size = fitted(stages.length, available);
  if (size === null) {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    return (
      <div ref={frame} role="group" aria-label={label} className="grid gap-2 p-4">
        {stages.flat().map((id) => {
          const node = byId.get(id);
          return node && <Listed key={id} node={node} {...(onOpen && { onOpen })} />;
        })}
      </div>
    );
  }
  const { width, height, places, lines } = laidOut(nodes, stages, size);
  const phases = new Map(nodes.map(({ id, phase }) => [id, phase]));
  return (
    <div
      ref={frame}
      className="overflow-x-auto bg-[radial-gradient(var(--line)_1px,transparent_1px)] bg-size-[20px_20px]"
      role="group"
      aria-label={label}
      tabIndex={0}
    >
      <div className="relative" style={{ width, height }}>
        <svg width={width} height={height} className="absolute inset-0" aria-hidden="true">
          {lines.map((line) => (
            <path
              key={`${line.from}-${line.to}`}
              d={pathOf(line)}
              fill="none"
              {...strokeOf(phases.get(line.to) ?? null)}
            />
          ))}
        </svg>
        {nodes.map((node) => {
          const at = places.get(node.id) ?? { x: 0, y: 0 };
          return (
            <Node
              key={node.id}
              node={node}
              x={at.x}
              y={at.y}
              width={size.node}
              {...(onOpen && { onOpen })}
            />
          );
        })}
      </div>
    </div>
  );
}

function useWidth(of: RefObject<HTMLElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return width;
}

/** The line to a node says whether something flows on it. */
function strokeOf(phase: Phase | null): {
  stroke: string;
  strokeWidth: number;
  strokeDasharray?: string;
  className?: string;
} {
  if (phase === 'running' || phase === 'retrying')
    return {
      stroke: 'var(--water-1)',
      strokeWidth: 3,
      strokeDasharray: '9 5',
      className: 'flowing',
    };
  if (phase === 'succeeded') return { stroke: 'var(--water-2)', strokeWidth: 3 };
  return { stroke: 'var(--line-strong)', strokeWidth: 1.75, strokeDasharray: '3 4' };
}

interface NodeParams {
  readonly node: GraphNode;
  readonly onOpen?: (id: string) => void;
}

function Node({
  x,
  y,
  width,
  ...rest
}: NodeParams & { readonly x: number; readonly y: number; readonly width: number }) {
  return (
    <Box {...rest} className="absolute" style={{ left: x, top: y, width, height: NODE_HEIGHT }} />
  );
}

/** Names the predecessors in words where no line is drawn. */
function Listed({ node, ...rest }: NodeParams) {
  const { after, note } = node;
  const words = [note, after.length > 0 && `after ${after.join(' and ')}`].filter(Boolean);
  return <Box {...rest} node={{ ...node, note: words.join(', ') }} className="w-full" />;
}

function Box({
  node: { id, title, note, phase, joins, extra },
  onOpen,
  className,
  style,
}: NodeParams & { readonly className: string; readonly style?: CSSProperties }) {
  const waits = phase === 'waiting' || phase === 'canceled' || phase === null;
  const inner = (
    <>
      <span className="flex items-center gap-2">
        {phase !== null && <StateIcon phase={phase} label={phase} />}
        <b className="truncate font-[550]" title={title}>
          {title}
        </b>
        {joins === true && (
          <span className="ml-auto rounded-full border border-line-strong px-1.25 text-[10px] leading-3.5 font-semibold text-ink-2">
            ALL
          </span>
        )}
      </span>
      <span className="block truncate text-small text-ink-3">{note}</span>
      {extra}
    </>
  );
  const look = `${className} block overflow-hidden rounded-node border bg-raised px-3 py-2 text-left ${waits ? 'border-dashed border-line-strong' : phase === 'failed' ? 'border-failed-fill shadow-control' : phase === 'running' ? 'border-running-fill shadow-control' : 'border-line-strong shadow-control'}`;
  return onOpen === undefined ? (
    <div className={look} style={style}>
      {inner}
    </div>
  ) : (
    <button
      type="button"
      className={`${look} hover:bg-hover`}
      style={style}
      onClick={() => onOpen(id)}
    >
      {inner}
    </button>
  );
}
