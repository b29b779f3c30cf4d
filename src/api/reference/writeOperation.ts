import { escapeHtml } from '../documents/escapeHtml.ts';
import type { Api, ApiResponse, Header, Parameter, Route } from './apiShape.ts';
import { writeCurl } from './writeCurl.ts';
import { writeInline, writeProse, writeTable } from './writeProse.ts';
import { writeSchema, writeType } from './writeSchema.ts';

export function routeAnchor({ method, path, operation }: Route): string {
  return operation.operationId ?? `${method}-${path.replaceAll(/[^\w]+/g, '-')}`;
}

/** The document's full description of one route, as HTML. */
export function writeOperation(route: Route, api: Api): string {
  const { method, path, operation, isSent } = route;
  const { summary, description, security, parameters, requestBody, responses } = operation;
  const anchor = escapeHtml(routeAnchor(route));
  const isPublic = security.length === 0 && !isSent;
  const parts = [
    `<h3 id="${anchor}"><a href="#${anchor}">${escapeHtml(summary)}</a></h3>`,
    `<p class="route"><span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code>${escapeHtml(path)}</code>${isPublic ? ' <span class="public">public</span>' : ''}</p>`,
    writeProse(description),
    writeParameters(parameters),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      writeForm(`Body, ${type}`, writeSchema(`Members of the body`, schema)),
    ),
    isSent
      ? ''
      : `<h4>Example</h4>\n<pre tabindex="0"><code>${escapeHtml(writeCurl(route, api.servers[0]?.url ?? ''))}</code></pre>`,
    '<h4>Answers</h4>',
    ...Object.entries(responses).map(([status, response]) =>
      writeResponse(status, findShared(response, api), api),
    ),
  ];
  return `<section class="operation" aria-labelledby="${anchor}">\n${parts.filter((part) => part !== '').join('\n')}\n</section>`;
}

function writeParameters(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, schema, description, example }) => [
    `<code>${escapeHtml(name)}</code>`,
    escapeHtml(place),
    writeType(schema),
    required ? 'required' : 'optional',
    [description ?? '', example === undefined ? '' : `Example: \`${example}\`.`].map(writeInline).join(' '),
  ]);
  return writeTable('Parameters', ['Name', 'In', 'Type', 'Presence', 'Meaning'], rows);
}

/** The component that a response refers to, or else the response itself. */
function findShared(response: ApiResponse, { components }: Api): ApiResponse {
  const name = response.$ref?.split('/').at(-1) ?? '';
  return components.responses[name] ?? response;
}

function writeResponse(status: string, response: ApiResponse, api: Api): string {
  const { description, headers, content } = response;
  const names = Object.entries(headers).map(([name, header]) => writeHeaderName(name, header, api));
  const forms = Object.entries(content).map(([type, { schema }]) =>
    writeForm(type, writeSchema(`Members of the answer`, schema)),
  );
  const isSuccess = status.startsWith('2');
  return `<details${isSuccess ? ' open' : ''}>
<summary><span class="status s${escapeHtml(status.charAt(0))}">${escapeHtml(status)}</span> ${writeInline(description)}</summary>
${names.length === 0 ? '' : `<p class="form">Headers: ${names.join(', ')}</p>`}
${forms.join('\n')}
</details>`;
}

/** Headers that are components of the document are described in one place. */
function writeHeaderName(name: string, header: Header, { components }: Api): string {
  const isOptional = header.$ref === undefined && !header.required;
  const text = `<code>${escapeHtml(name)}</code>`;
  const shown =
    name in components.headers ? `<a href="#${escapeHtml(headerAnchor(name))}">${text}</a>` : text;
  return isOptional ? `${shown} (at times)` : shown;
}

export function headerAnchor(name: string): string {
  return `header-${name}`;
}

function writeForm(title: string, html: string): string {
  return `<p class="form">${escapeHtml(title)}</p>\n${html}`;
}
