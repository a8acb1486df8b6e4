// What a program imports: job kinds, and Millrace inside its own process.

export {
  JobFailure,
  type Outcome,
  defer,
  defineJob,
  defineRule,
  defineSchedule,
  done,
} from '@millrace/engine';
