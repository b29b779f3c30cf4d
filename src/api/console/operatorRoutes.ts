import type { Context, Hono } from 'hono';
import type pg from 'pg';
import { readEventFacts } from '../../platform/operations/readEventFacts.ts';
import { readWaitingTransactions } from '../../platform/operations/readWaitingTransactions.ts';
import { readConsoleFiles } from './consoleFiles.ts';
import { buildConsolePolicy } from './consolePolicy.ts';
import { isPrivateHost } from './privateHost.ts';

/** Everything about one id, in words; undefined if nothing has this id. */
export type DescribeTrace = (id: string) => Promise<string | undefined>;

/**
 * The operators' page at `/`, and its data in addition to `/ready` and `/metrics`. Only for the internal
 * port: like the rest of it, it asks for no key and only reads. The data are for pages of private hosts and of `allowedHosts`:
 * others get 421.
 */
export function addOperatorRoutes(
  app: Hono,
  {
    pool,
    describeTrace,
    allowedHosts,
  }: { pool: pg.Pool; describeTrace: DescribeTrace | undefined; allowedHosts: readonly string[] },
): void {
  const files = readConsoleFiles();
  const headers = { 'content-security-policy': buildConsolePolicy([]), 'x-content-type-options': 'nosniff' };
  const send = (context: Context, path: string) => {
    const file = files.get(path);
    if (!file) return context.text('not found', 404);
    return new Response(file.body, { headers: { ...headers, 'content-type': file.contentType } });
  };
  app.get('/', (context) => send(context, 'operators.html'));
  app.get('/console/assets/*', (context) => send(context, context.req.path.slice('/console/'.length)));
  app.use('/operations/*', async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    if (isPrivateHost(context.req.header('host'), allowedHosts)) return next();
    return context.text('This host is not one of INTERNAL_ALLOWED_HOSTS.', 421);
  });
  app.get('/operations/events', async (context) => context.json(await readEventFacts(pool)));
  app.get('/operations/transactions', async (context) => context.json(await readWaitingTransactions(pool)));
  app.get('/operations/trace/:id', async (context) => {
    const text = await describeTrace?.(context.req.param('id'));
    return text === undefined ? context.text('Nothing with this id was found.', 404) : context.text(text);
  });
}
