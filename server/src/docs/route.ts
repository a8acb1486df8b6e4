import type {
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from '@millrace/api';
import { answerOf, curlOf } from './example.ts';
import { type Field, fieldTable, fieldsOf, limitsOf, nameIn, sentence, typeOf } from './fields.ts';
import { type Html, type Part, html, join } from './html.ts';

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function routesOf({ paths }: OpenApiDocument): Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** The errors of most routes: shown once, and collapsed at each route. */
export function commonCodes(document: OpenApiDocument): ReadonlySet<string> {
  const routes = routesOf(document).map(({ operation }) => codesOf(document, operation));
  const codes = Object.keys(document.components.examples);
  return new Set(
    codes.filter((code) => routes.filter((each) => each.includes(code)).length > routes.length / 2),
  );
}

export function routeSection(
  document: OpenApiDocument,
  { method, path, operation }: Route,
  common: ReadonlySet<string>,
): Html {
  const { operationId, summary, requestBody } = operation;
  const answers = answersOf(operation);
  return html`<article id="${operationId}">
    <header>
      <h3>
        ${badge(method)} <span class="path">${pathParts(path)}</span>
        <a class="anchor" href="#${operationId}" aria-label="Link to ${operationId}">#</a>
      </h3>
      <p class="summary">${sentence(summary)}</p>
      <p class="facts">
        ${operation.security.length > 0 ? 'Needs' : ''} ${roleBadge(operation['x-millrace-role'])}
        <code>${operationId}</code>
      </p>
    </header>
    <div class="told">
      ${parameterParts(document, operation)}
      ${requestBody && bodyPart(document, requestBody.content['application/json'])}
      ${answerPart(answers)} ${errorPart(document, operation, common)}
    </div>
    <div class="shown">${examplePart({ method, path, operation }, answers[0])}</div>
  </article>`;
}

/** In the contents there is room for three letters. */
export function badge(method: string, letters = method.length): Html {
  const shown = method.length > 4 ? method.slice(0, letters) : method;
  return html`<span class="method ${method.toLowerCase()}">${shown}</span>`;
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  anyone: 'no token',
  signedIn: 'any token',
};

export function roleBadge(role: string): Html {
  return html`<span class="role ${role}">${ROLE_WORDS[role] ?? role}</span>`;
}

/** A long path breaks before a slash, nowhere else. */
function pathParts(path: string): Part {
  return path
    .split('/')
    .slice(1)
    .map((part) => {
      const shown = part.startsWith('{') ? html`<var>${part}</var>` : part;
      return html`<wbr />/${shown}`;
    });
}

function parameterParts(document: OpenApiDocument, { parameters }: Operation): Part {
  const all = parameters.map((each) => resolved(document, each));
  const places = [
    ['path', 'Path'],
    ['query', 'Query'],
    ['header', 'Headers'],
  ] as const;
  return places.map(([where, title]) => {
    // The correlation id is described once for all routes.
    const there = all.filter((each) => each.in === where && each.name !== 'x-correlation-id');
    return (
      there.length > 0 &&
      html`<h4>${title}</h4>
        ${fieldTable(there.map(fieldOf), 'request')}`
    );
  });
}

function resolved(document: OpenApiDocument, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const found = document.components.parameters[nameIn(parameter.$ref)];
  if (found === undefined) throw new Error(`${parameter.$ref} leads nowhere`);
  return found;
}

function fieldOf({ name, required, schema, description }: Parameter): Field {
  return { name, required, schema, description };
}

/** Fields of one thing are listed; of an array, its shape is named. */
function bodyPart({ components }: OpenApiDocument, media: MediaType | undefined): Part {
  if (media === undefined) return null;
  const { schema } = media;
  const shape = schema.$ref === undefined ? schema : components.schemas[nameIn(schema.$ref)];
  const fields = shape === undefined ? [] : fieldsOf(shape);
  const about = [
    (schema.$ref ?? schema.items) !== undefined &&
      html`<span class="type">${typeOf(schema)}</span>`,
    ...limitsOf(schema),
  ].filter((part) => part !== false);
  return html`<h4>Body</h4>
    ${about.length > 0 && html`<p class="about">${join(about, ' · ')}</p>`}
    ${fields.length > 0 && fieldTable(fields, 'request')}`;
}

type Answer = [status: string, response: ResponseObject];

/** The usual one, which has the example, first. */
function answersOf({ responses }: Operation): Answer[] {
  const isUsual = (answer: Answer): boolean => mediaOf(answer)[1].example !== undefined;
  return Object.entries(responses)
    .filter(isAnswer)
    .toSorted((a, b) => Number(isUsual(b)) - Number(isUsual(a)));
}

function isAnswer(entry: [string, ResponseObject | Reference]): entry is Answer {
  return 'content' in entry[1];
}

function answerPart(answers: readonly Answer[]): Part {
  const [media, { schema }] = mediaOf(answers[0]);
  const fields = fieldsOf(schema);
  const about = [
    ...answers.map(
      ([status, { description }]) =>
        html`<b>${status}</b> ${answers.length > 1 && description.replace(/\.$/, '')}`,
    ),
    media !== 'application/json' && media,
    fields.length === 0 && html`<span class="type">${typeOf(schema)}</span>`,
  ].filter((part) => part !== false);
  return html`<h4>Answer</h4>
    <p class="about">${join(about, ' · ')}</p>
    ${fields.length > 0 && fieldTable(fields, 'answer')}`;
}

function mediaOf(answer: Answer | undefined): [string, MediaType] {
  const [media] = Object.entries(answer?.[1].content ?? {});
  return media ?? ['application/json', { schema: {} }];
}

function errorPart(
  document: OpenApiDocument,
  operation: Operation,
  common: ReadonlySet<string>,
): Part {
  const codes = codesOf(document, operation);
  const own = codes.filter((code) => !common.has(code));
  const shared = codes.filter((code) => common.has(code));
  const chip = (code: string): Html =>
    html`<li>
      <a href="#error-${code}"
        ><b>${document.components.examples[code]?.value.status}</b> ${code}</a
      >
    </li>`;
  return html`<h4>Refusals</h4>
    ${
      own.length > 0 &&
      html`<ul class="chips">
        ${own.map(chip)}
      </ul>`
    }
    <details>
      <summary>${own.length > 0 ? 'and ' : ''}${shared.length} that most routes share</summary>
      <ul class="chips">
        ${shared.map(chip)}
      </ul>
    </details>`;
}

function codesOf({ components }: OpenApiDocument, { responses }: Operation): string[] {
  return Object.values(responses).flatMap((response) => {
    if (!('$ref' in response)) return [];
    const { content } = components.responses[nameIn(response.$ref)] ?? {};
    return Object.values(content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {}));
  });
}

function examplePart(route: Route, answer: Answer | undefined): Html {
  const [media, shown] = mediaOf(answer);
  const curl = curlOf({ ...route, baseUrl: 'http://localhost:3000' });
  return html`<figure>
    <figcaption>Call</figcaption>
    <pre class="call"><code>${curl}</code></pre>
    <figcaption>Answer <b>${answer?.[0]}</b></figcaption>
    <pre><code>${answerOf(media, shown)}</code></pre>
  </figure>`;
}
