import { createHash } from 'node:crypto';
import { escapeHtml } from '../documents/escapeHtml.ts';
import { type Api, apiShape, type Route } from './apiShape.ts';
import { referenceStyle } from './referenceStyle.ts';
import { headerAnchor, routeAnchor, writeOperation } from './writeOperation.ts';
import { writeInline, writeProse, writeTable } from './writeProse.ts';
import { schemaAnchor, writeSchema } from './writeSchema.ts';

const styleHash = createHash('sha256').update(referenceStyle).digest('base64');

/** The page is self-contained, runs nothing, and cannot be framed. */
export const referencePolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${styleHash}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/**
 * The page that shows an OpenAPI document to people: every route with its full documentation. Works without
 * scripts.
 */
export function buildReference(document: unknown): string {
  const api = apiShape.parse(document);
  const { title, version, description } = api.info;
  const name = escapeHtml(title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}: reference of the API</title>
<style>${referenceStyle}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<nav aria-label="Contents">
<p class="title">${name} <span>${escapeHtml(version)}</span></p>
${writeContents(api)}
</nav>
<main id="content">
<h1>${name}</h1>
${writeProse(description)}
<p>The same for programs: <a href="openapi.json">OpenAPI document</a>. Reached at ${api.servers.map(({ url }) => `<code>${escapeHtml(url)}</code>`).join(', ')}.</p>
${writeAccess(api)}
${writeLimits(api)}
${api.tags.map((tag) => writeGroup(tag, api)).join('\n')}
${writeWebhooks(api)}
${writeReasons(api)}
${writeHeaders(api)}
${writeSchemas(api)}
</main>
</body>
</html>
`;
}

function writeContents(api: Api): string {
  const groups = api.tags.map(({ name }) => writeList(name, groupAnchor(name), routesOf(api, name)));
  const webhooks = listRoutes(api.webhooks, { isSent: true });
  const others = [
    webhooks.length > 0 ? writeList('Requests to subscribers', 'webhooks', webhooks) : '',
    '<p><a href="#reasons">Reasons</a></p>\n<p><a href="#headers">Headers</a></p>\n<p><a href="#schemas">Schemas</a></p>',
  ];
  return [
    '<p><a href="#access">Access</a></p>\n<p><a href="#limits">Limits</a></p>',
    ...groups,
    ...others,
  ].join('\n');
}

function writeList(title: string, anchor: string, routes: readonly Route[]): string {
  const items = routes.map((route) => {
    const { method, operation } = route;
    const verb = `<span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span>`;
    return `<li><a href="#${escapeHtml(routeAnchor(route))}">${verb} ${escapeHtml(operation.summary)}</a></li>`;
  });
  return `<p><a href="#${escapeHtml(anchor)}">${escapeHtml(title)}</a></p>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function writeGroup({ name, description }: Api['tags'][number], api: Api): string {
  const routes = routesOf(api, name).map((route) => writeOperation(route, api));
  return `<h2 id="${escapeHtml(groupAnchor(name))}">${escapeHtml(name)}</h2>\n${writeProse(description)}\n${routes.join('\n')}`;
}

function writeWebhooks(api: Api): string {
  const routes = listRoutes(api.webhooks, { isSent: true });
  if (routes.length === 0) return '';
  const written = routes.map((route) => writeOperation(route, api));
  return `<h2 id="webhooks">Requests to subscribers</h2>\n${written.join('\n')}`;
}

function writeAccess({ components }: Api): string {
  const rows = Object.entries(components.securitySchemes).map(([name, { description, ...scheme }]) => [
    `<code>${escapeHtml(name)}</code>`,
    `<code>${escapeHtml(scheme.type === 'http' ? 'Authorization: Bearer …' : `${String(scheme.name)}: …`)}</code>`,
    writeInline(description),
  ]);
  return `<h2 id="access">Access</h2>\n${writeTable('Ways to send the key', ['Name', 'Header', 'Meaning'], rows)}`;
}

function writeLimits({ info }: Api): string {
  const rows = listLeaves(info['x-limits'], '').map(([name, value]) => [
    `<code>${escapeHtml(name)}</code>`,
    escapeHtml(value),
  ]);
  return `<h2 id="limits">Limits</h2>\n${writeTable('Limits in force', ['Limit', 'Value'], rows)}`;
}

function listLeaves(value: object, prefix: string): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return typeof inner === 'object' && inner !== null ? listLeaves(inner, path) : [[path, String(inner)]];
  });
}

/** Where each reason can occur, from the routes' answers. */
function writeReasons(api: Api): string {
  const met = listRoutes(api.paths, { isSent: false }).flatMap((route) =>
    Object.entries(route.operation.responses).flatMap(([status, { description }]) => {
      const [, list = ''] = /Reasons: (.*)\.$/.exec(description) ?? [];
      return Array.from(list.matchAll(/`(\w+)`/g), ([, reason = '']) => ({ reason, status, route }));
    }),
  );
  const rows = [...Map.groupBy(met, ({ reason }) => reason)].map(([reason, places]) => [
    `<code>${escapeHtml(reason)}</code>`,
    escapeHtml([...new Set(places.map(({ status }) => status))].join(', ')),
    places
      .map(
        ({ route }) =>
          `<a href="#${escapeHtml(routeAnchor(route))}">${escapeHtml(route.operation.operationId ?? '')}</a>`,
      )
      .join(', '),
  ]);
  return `<h2 id="reasons">Reasons</h2>\n<p>What <code>error.details.reason</code> can be.</p>\n${writeTable('Reasons of refusals', ['Reason', 'Status', 'Routes'], rows)}`;
}

function writeHeaders({ components }: Api): string {
  const rows = Object.entries(components.headers).map(([name, { description = '', example }]) => [
    `<code id="${escapeHtml(headerAnchor(name))}">${escapeHtml(name)}</code>`,
    writeInline(description),
    example === undefined ? '' : `<code>${escapeHtml(String(example))}</code>`,
  ]);
  return `<h2 id="headers">Headers</h2>\n${writeTable('Headers of answers', ['Header', 'Meaning', 'Example'], rows)}`;
}

function writeSchemas({ components }: Api): string {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const anchor = escapeHtml(schemaAnchor(name));
    return `<h3 id="${anchor}"><a href="#${anchor}">${escapeHtml(name)}</a></h3>\n${writeProse(schema.description ?? '')}\n${writeSchema(`Members of ${name}`, schema)}`;
  });
  return `<h2 id="schemas">Schemas</h2>\n${sections.join('\n')}`;
}

function listRoutes(paths: Api['paths'], { isSent }: Pick<Route, 'isSent'>): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation, isSent })),
  );
}

function routesOf(api: Api, tag: string): Route[] {
  return listRoutes(api.paths, { isSent: false }).filter(({ operation }) => operation.tags.includes(tag));
}

function groupAnchor(tag: string): string {
  return `group-${tag.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
