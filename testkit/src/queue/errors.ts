export type TestQueueErrorCode =
  /** A kind is used that the test did not give. */
  | 'unknown_kind'
  /** A handler used its service, and the test gave none. */
  | 'no_service'
  /** An option or an order that cannot be. */
  | 'invalid_options'
  /** Jobs are left that do not come to an end. */
  | 'not_drained'
  /** A handler takes real time, and does not end. */
  | 'handler_stuck'
  /** Time is moved from two places at once. */
  | 'under_way';

/** Something is wrong with the test, not with the jobs: their failures are values (`JobRun.failure`). */
export class TestQueueError extends Error {
  override readonly name = 'TestQueueError';
  readonly code: TestQueueErrorCode;
  constructor(code: TestQueueErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
