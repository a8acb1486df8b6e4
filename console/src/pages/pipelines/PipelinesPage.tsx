import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { Page } from '../../shell/Page.tsx';
import { plural } from '../../time/words.ts';
import { CataloguePanes } from '../../ui/catalogue.tsx';
import { Empty } from '../../ui/empty.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { FileProblems } from '../reports/FileProblems.tsx';
import { PipelineView } from './PipelineView.tsx';

/** From a query to documents to a report: what there is at the left, one of them with its runs beside it. */
export function PipelinesPage() {
  const api = useApi();
  const { name } = useParams({ strict: false });
  const answer = useQuery({ queryKey: ['pipelines'], queryFn: () => api.listPipelines() });
  const pipelines = answer.data?.pipelines ?? [];
  const shown =
    pipelines.find((pipeline) => pipeline.name === name) ??
    (name === undefined ? pipelines[0] : undefined);
  return (
    <Page
      title={shown?.title ?? 'Pipelines'}
      crumbs={[{ word: 'Pipelines', link: { to: '/pipelines' } }]}
      live
      scrolls={false}
    >
      <CataloguePanes
        label="Pipelines"
        answer={answer}
        items={pipelines.map((pipeline) => ({
          name: pipeline.name,
          title: pipeline.title,
          note: plural(pipeline.steps.length, 'step'),
          mark: pipeline.problems.length > 0 && (
            <StateIcon phase="failed" label="its file has problems" />
          ),
          link: { to: '/pipelines/$name', params: { name: pipeline.name } },
          isShown: pipeline.name === shown?.name,
        }))}
        empty={
          <Empty title="No pipelines yet">
            A pipeline is a file in <code>pipelines/</code>: a query finds customers, each gets a
            letter, a report lists what was sent. A step that fails is resumed where it stopped.
          </Empty>
        }
      >
        <FileProblems problems={answer.data?.troubled.flatMap((file) => file.problems) ?? []} />
        {shown === undefined ? (
          <Empty title={`No pipeline named ${name ?? ''}`}>Choose one from the list.</Empty>
        ) : (
          <PipelineView key={shown.name} pipeline={shown} />
        )}
      </CataloguePanes>
    </Page>
  );
}
