import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';

/** None yet, or none that fit: two different things to a person. */
export function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty
        title="No matching jobs"
        action={
          <ButtonLink to="/jobs" search={{}}>
            Show all jobs
          </ButtonLink>
        }
      >
        No job matches this filter. Remove parts of it to see more.
      </Empty>
    );
  }
  return (
    <Empty
      title="No jobs yet"
      action={
        <>
          <ButtonLink look="filled" to="/jobs/new">
            Enqueue a job
          </ButtonLink>
          <ButtonLink to="/welcome">Take the tour</ButtonLink>
        </>
      }
    >
      A job is a kind and its data. Files in <code>jobs/</code> declare kinds; a button, the API, a
      schedule or another job makes jobs of them.
    </Empty>
  );
}
