import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { Time } from '../../../time/Time.tsx';
import { bytes, count, plural } from '../../../time/words.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { StateText } from '../../../ui/state.tsx';
import type { Lint, Template } from '../types.ts';
import { UploadTemplate } from '../UploadTemplate.tsx';
import { useTemplates } from '../useTemplates.ts';
import { CELL, HEAD, Listed, ROW } from './table.tsx';

export function Templates() {
  const api = useApi();
  const { after } = useSearch({ from: '/shell/documents' });
  const answer = useQuery({
    queryKey: [...keys.templates(), { after }],
    queryFn: () =>
      api.listTemplates({ query: { limit: 50, ...(after !== undefined && { cursor: after }) } }),
    placeholderData: keepPreviousData,
  });
  const list = answer.data?.templates ?? [];
  const known = useTemplates(list.map(({ id }) => id));
  return (
    <Listed
      answer={answer}
      isEmpty={list.length === 0}
      next={answer.data?.next}
      footer={
        <span className="inline-flex flex-wrap items-center gap-3">
          {plural(list.length, 'template')}
          {list.length > 0 && <UploadTemplate size="small" />}
        </span>
      }
      empty={
        <Empty title="No templates yet" action={<UploadTemplate />}>
          A template is a Word file with fields such as <code>{'{{Candidate.Name}}'}</code>.
          Uploading a file of the same name adds a version.
        </Empty>
      }
    >
      <table className="w-full border-separate border-spacing-0 max-md:block">
        <thead className="max-md:hidden">
          <tr>
            <th className={HEAD}>Template</th>
            <th className={HEAD}>Problems</th>
            <th className={HEAD}>Version</th>
            <th className={`${HEAD} text-right`}>Fields</th>
            <th className={`${HEAD} text-right`}>Size</th>
            <th className={HEAD}>By</th>
            <th className={`${HEAD} text-right`}>Since</th>
            <th className={HEAD}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {list.map((template) => (
            <TemplateRow
              key={template.id}
              template={template}
              lint={known.get(template.id)?.lint ?? null}
            />
          ))}
        </tbody>
      </table>
    </Listed>
  );
}

function TemplateRow({ template, lint }: { template: Template; lint: Lint | null }) {
  const fields = lint === null ? null : new Set(lint.fields.map(({ path }) => path)).size;
  return (
    <tr className={ROW}>
      <td className={CELL}>
        <Link
          to="/documents/templates/$name"
          params={{ name: template.name }}
          className="font-medium hover:underline"
        >
          {template.name}
        </Link>
      </td>
      <td className={CELL}>{lint !== null && <Problems lint={lint} />}</td>
      <td className={`${CELL} whitespace-nowrap text-ink-2`}>
        version {template.version} <code className="text-ink-3">{template.id}</code>
      </td>
      <td className={`${CELL} text-right text-ink-2 max-md:hidden`}>
        {fields === null ? '' : count(fields)}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:hidden`}>
        {bytes(template.size)}
      </td>
      <td className={`${CELL} max-w-52 truncate text-ink-2 max-md:hidden`}>
        {template.createdBy ?? '–'}
        {template.owner !== null && ' (own)'}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:text-small`}>
        <Time at={template.createdAt} />
      </td>
      <td className={`${CELL} text-right max-md:hidden`}>
        <ButtonLink
          size="small"
          to="/documents/new"
          search={{ template: template.name }}
          icon={<Play size={13} />}
        >
          Batch
        </ButtonLink>
      </td>
    </tr>
  );
}

/** Errors stop documents; warnings and missing fonts change how they look. */
export function Problems({ lint }: { lint: Lint }) {
  const errors = lint.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = lint.problems.length - errors;
  if (errors > 0) return <StateText phase="failed" word={plural(errors, 'error')} />;
  if (warnings > 0) return <StateText phase="retrying" word={plural(warnings, 'warning')} />;
  return <StateText phase="succeeded" word="No problem" />;
}
