import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { plural } from '../../../time/words.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { ownLocale } from '../locales.ts';
import type { Box } from '../pdf/find.ts';
import { Pdf } from '../pdf/Pdf.tsx';
import type { PaintedPage } from '../pdf/paint.ts';
import { Scroller } from '../pdf/Scroller.tsx';
import { usePreview } from '../pdf/usePreview.ts';
import type { Lint, TemplateAnswer } from '../types.ts';
import { type Pixels, changedRegions } from './regions.ts';

type Pages = readonly PaintedPage[];

/** Two versions with the same data, page beside page; what differs is framed on both. */
export function Compare({
  answer,
  other,
  data,
}: {
  readonly answer: TemplateAnswer;
  readonly other: string;
  readonly data: Record<string, unknown>;
}) {
  const api = useApi();
  const before = useQuery({
    queryKey: keys.template(other),
    queryFn: () => api.getTemplate({ params: { id: other } }),
  });
  const [left, setLeft] = useState<Pages>([]);
  const [right, setRight] = useState<Pages>([]);
  const regions = useMemo(() => regionsOf(left, right), [left, right]);
  const changes = [...regions.values()].reduce((sum, boxes) => sum + boxes.length, 0);
  const overlay = useCallback(
    (page: PaintedPage) =>
      regions.get(page.number)?.map((box) => <Region key={`${box.left} ${box.top}`} box={box} />),
    [regions],
  );
  const { template, lint } = answer;
  return (
    <>
      <header className="flex min-h-11 flex-none flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-6 py-1.5 max-md:px-4">
        <b role="status">
          {left.length === 0 || right.length === 0
            ? 'Rendering both versions…'
            : changes === 0
              ? 'Both versions look the same with this data'
              : `${plural(changes, 'changed region')} on ${plural([...regions.values()].filter((boxes) => boxes.length > 0).length, 'page')}`}
        </b>
        {before.data !== undefined && <FieldChanges before={before.data.lint} after={lint} />}
        <span className="flex-1" />
        <ButtonLink
          size="small"
          to="/documents/templates/$name"
          params={{ name: template.name }}
          search={{ version: template.id }}
          icon={<X size={14} />}
        >
          Close
        </ButtonLink>
      </header>
      {before.isError && (
        <div className="p-6">
          <Trouble error={before.error} />
        </div>
      )}
      <Scroller label="Both versions" className="grid grid-cols-2 bg-canvas max-md:grid-cols-1">
        <Side
          title={before.data === undefined ? other : `Version ${before.data.template.version}`}
          id={other}
          data={data}
          onPages={setLeft}
          overlay={overlay}
        />
        <Side
          title={`Version ${template.version}`}
          id={template.id}
          data={data}
          onPages={setRight}
          overlay={overlay}
        />
      </Scroller>
    </>
  );
}

function Side({
  title,
  id,
  data,
  onPages,
  overlay,
}: {
  title: string;
  id: string;
  data: Record<string, unknown>;
  onPages(pages: Pages): void;
  overlay(page: PaintedPage): React.ReactNode;
}) {
  const may = useMay('previewTemplate');
  const [locale] = useState(ownLocale);
  const preview = usePreview(may.allowed ? { template: id, data, locale } : null, 0);
  return (
    <section
      aria-label={title}
      className="min-w-0 px-5 py-4 md:first:shadow-[inset_-1px_0_0_var(--line)]"
    >
      <h2 className="mb-3">
        {title} <code className="font-normal text-ink-3">{id}</code>
      </h2>
      {may.why !== null && <p className="text-ink-2">{may.why}</p>}
      {preview.error !== null && <Trouble error={preview.error} />}
      <Pdf bytes={preview.bytes} name={title} widest={700} onPages={onPages} overlay={overlay} />
    </section>
  );
}

function Region({ box }: { box: Box }) {
  return (
    <i
      className="absolute rounded-token border-[1.5px] border-retrying-fill bg-retrying-fill/20"
      style={{
        left: `calc(${100 * box.left}% - 3px)`,
        top: `calc(${100 * box.top}% - 3px)`,
        width: `calc(${100 * box.width}% + 6px)`,
        height: `calc(${100 * box.height}% + 6px)`,
      }}
    />
  );
}

function FieldChanges({ before, after }: { before: Lint; after: Lint }) {
  const old = new Set(before.fields.map(({ path }) => path));
  const now = new Set(after.fields.map(({ path }) => path));
  const added = [...now].filter((path) => !old.has(path));
  const gone = [...old].filter((path) => !now.has(path));
  if (added.length + gone.length === 0) return <span className="text-ink-3">same fields</span>;
  return (
    <span className="flex min-w-0 flex-wrap gap-x-3 text-small text-ink-2">
      {added.slice(0, 6).map((path) => (
        <span key={path}>
          + <code>{path}</code>
        </span>
      ))}
      {gone.slice(0, 6).map((path) => (
        <span key={path}>
          − <code className="line-through">{path}</code>
        </span>
      ))}
    </span>
  );
}

/** Compared at this width, whatever the screen has: enough for letters, and quick. */
const WIDTH = 700;
const WHOLE: Box = { left: 0, top: 0, width: 1, height: 1 };

function regionsOf(left: Pages, right: Pages): ReadonlyMap<number, readonly Box[]> {
  if (left.length === 0 || right.length === 0) return new Map();
  const count = Math.max(left.length, right.length);
  return new Map(
    Array.from({ length: count }, (_, index): [number, readonly Box[]] => {
      const a = left[index];
      const b = right[index];
      if (a === undefined || b === undefined) return [index + 1, [WHOLE]];
      return [index + 1, changedRegions(pixelsOf(a.canvas), pixelsOf(b.canvas))];
    }),
  );
}

function pixelsOf(canvas: HTMLCanvasElement): Pixels {
  const height = Math.round((WIDTH * canvas.height) / Math.max(canvas.width, 1));
  const small = new OffscreenCanvas(WIDTH, height);
  const context = small.getContext('2d');
  if (context === null) return { width: 0, height: 0, data: new Uint8ClampedArray() };
  context.drawImage(canvas, 0, 0, WIDTH, height);
  return context.getImageData(0, 0, WIDTH, height);
}
