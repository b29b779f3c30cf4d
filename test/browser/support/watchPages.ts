import type { BrowserContext } from 'playwright-core';

/** The forbidden actions of a context's pages. */
export type Watched = { readonly faults: string[] };

/** Some of the tests cause network failures on purpose. */
const expected = /^Failed to load resource/;

/** Notes violations of the policy, errors, and requests to another origin. */
export async function watchPages(context: BrowserContext, baseUrl: string): Promise<Watched> {
  const faults: string[] = [];
  await context.exposeBinding('noteViolation', (_source, violation: string) => void faults.push(violation));
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) =>
      window.noteViolation('violates ' + event.effectiveDirective + ': ' + event.blockedURI + ' ' + event.sample));
  `);
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(baseUrl) && !url.startsWith('data:')) faults.push(`asked for ${url}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error().stack)));
  return { faults };
}
