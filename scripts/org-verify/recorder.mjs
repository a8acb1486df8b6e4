// Calls of the REST API, kept as they were: what an org answers is what a simulator has to answer.

/**
 * @typedef {{ method: string, path: string, body?: unknown, token?: string }} Call
 * @typedef {{ status: number, headers: Record<string, string>, body: any }} Answer
 * @typedef {{ request: Omit<Call, 'token'>, response: Answer }} Exchange
 * @typedef {{ call: (call: Call) => Promise<Answer>, bytes: (path: string) => Promise<Buffer>, exchanges: Exchange[] }} Recorder
 */

/** The headers that our clients read. */
const KEPT = ['content-type', 'sforce-limit-info'];

/** @param {{ instanceUrl: string, accessToken: string }} org @returns {Recorder} */
export function createRecorder({ instanceUrl, accessToken }) {
  /** @type {Exchange[]} */
  const exchanges = [];
  const send = ({ method, path, body, token = accessToken } = /** @type {Call} */ ({})) =>
    fetch(new URL(path, instanceUrl), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    exchanges,
    async call(call) {
      const response = await send(call);
      const text = await response.text();
      const headers = Object.fromEntries(
        KEPT.flatMap((name) => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
      );
      const answer = { status: response.status, headers, body: parsed(text) };
      const { method, path, body } = call;
      exchanges.push({
        request: { method, path, ...(body !== undefined && { body }) },
        response: answer,
      });
      return answer;
    },
    async bytes(path) {
      return Buffer.from(await (await send({ method: 'GET', path })).arrayBuffer());
    },
  };
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
