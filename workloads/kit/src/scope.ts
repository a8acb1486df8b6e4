/** What a caller may see and act on. Whoever answers a request is given nothing beyond it. */
export {
  EVERYTHING,
  type Belonging,
  type Scope,
  admitted,
  hasTenant,
  notAllowed,
} from '@millrace/engine';
