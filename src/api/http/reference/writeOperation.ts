import { escapeHtml } from '../../documents/escapeHtml.ts';
import type { Api, ApiResponse, Header, Operation, Parameter } from './apiShape.ts';
import { writeCurl } from './writeCurl.ts';
import { writeInline, writeProse, writeTable } from './writeProse.ts';
import { writeSchema, writeType } from './writeSchema.ts';

/** An operation with where it is. */
export type Route = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The id of the place in the page where a route is described. */
export function routeAnchor({ method, path, operation }: Route): string {
  return operation.operationId ?? `${method}-${path.replaceAll(/[^\w]+/g, '-')}`;
}

/** Everything that the document says of one route, as HTML. */
export function writeOperation(route: Route, api: Api): string {
  const { method, path, operation } = route;
  const { summary, description, security, parameters, requestBody, responses } = operation;
  const anchor = escapeHtml(routeAnchor(route));
  const isPublic = security.length === 0;
  const parts = [
    `<h3 id="${anchor}"><a href="#${anchor}">${escapeHtml(summary)}</a></h3>`,
    `<p class="route"><span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code>${escapeHtml(path)}</code>${isPublic ? ' <span class="public">public</span>' : ''}</p>`,
    writeProse(description),
    writeParameters(parameters),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      writeForm(`Body, ${type}`, writeSchema(`Members of the body`, schema)),
    ),
    `<h4>Example</h4>\n<pre tabindex="0"><code>${escapeHtml(writeCurl(route, api.servers[0]?.url ?? ''))}</code></pre>`,
    '<h4>Answers</h4>',
    ...Object.entries(responses).map(([status, response]) => writeResponse(status, response, api)),
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

function writeResponse(status: string, response: ApiResponse, api: Api): string {
  const { description, headers, content } = response;
  const rows = Object.entries(headers).map(([name, header]) => {
    const { required, description: meaning = '', example } = resolveHeader(header, api);
    const shown = example === undefined ? '' : ` Example: \`${example}\`.`;
    return [
      `<code>${escapeHtml(name)}</code>`,
      required ? 'always' : 'optional',
      writeInline(`${meaning}${shown}`),
    ];
  });
  const forms = Object.entries(content).map(([type, { schema }]) =>
    writeForm(type, writeSchema(`Members of the answer`, schema)),
  );
  const isSuccess = status.startsWith('2');
  return `<details${isSuccess ? ' open' : ''}>
<summary><span class="status s${escapeHtml(status.charAt(0))}">${escapeHtml(status)}</span> ${writeInline(description)}</summary>
${writeTable(`Headers of ${status}`, ['Header', 'Presence', 'Meaning'], rows)}
${forms.join('\n')}
</details>`;
}

function resolveHeader(header: Header, api: Api): Header {
  const name = header.$ref?.replace('#/components/headers/', '');
  return (name === undefined ? undefined : api.components.headers[name]) ?? header;
}

function writeForm(title: string, html: string): string {
  return `<p class="form">${escapeHtml(title)}</p>\n${html}`;
}
