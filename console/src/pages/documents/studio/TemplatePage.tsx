import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { Page } from '../../../shell/Page.tsx';
import { Time } from '../../../time/Time.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { Compare } from './Compare.tsx';
import { Studio } from './Studio.tsx';
import { useSample } from './useSample.ts';
import type { TemplateAnswer } from '../types.ts';
import { UploadTemplate } from '../UploadTemplate.tsx';

const CRUMBS = [
  { word: 'Templates', link: { to: '/documents', search: { tab: 'templates' } } },
] as const;

/** A template: data at the left, the page beside it, problems at the right; or two versions side by side. */
export function TemplatePage() {
  const { name } = useParams({ from: '/shell/documents/templates/$name' });
  const { version = name } = useSearch({ from: '/shell/documents/templates/$name' });
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.template(version),
    queryFn: () => api.getTemplate({ params: { id: version } }),
    placeholderData: (before) => before,
  });
  if (answer.data !== undefined) return <Shown answer={answer.data} />;
  return (
    <Page title={name} crumbs={CRUMBS}>
      {answer.isError && (
        <div className="p-6 max-md:p-4">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
    </Page>
  );
}

function Shown({ answer }: { answer: TemplateAnswer }) {
  const { template, lint } = answer;
  const { with: other } = useSearch({ from: '/shell/documents/templates/$name' });
  const sample = useSample(template.name, lint);
  return (
    <Page
      title={template.name}
      crumbs={CRUMBS}
      chip={
        <span className="rounded-token bg-hover px-2 py-0.5 text-small font-medium text-ink-2">
          Version {template.version}
        </span>
      }
      note={
        <span>
          since <Time at={template.createdAt} />
          {template.createdBy !== null && ` by ${template.createdBy}`}
          {template.owner !== null && `, only for ${template.owner}`}
        </span>
      }
      scrolls={false}
      actions={
        <>
          <UploadTemplate name={template.name} />
          <ButtonLink
            to="/documents/new"
            search={{ template: template.name }}
            look="filled"
            icon={<Play size={14} />}
          >
            New batch
          </ButtonLink>
        </>
      }
    >
      {other === undefined ? (
        <Studio answer={answer} sample={sample} />
      ) : (
        <Compare answer={answer} other={other} data={sample.data} />
      )}
    </Page>
  );
}
