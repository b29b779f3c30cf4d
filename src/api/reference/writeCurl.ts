import type { Route } from './apiShape.ts';

/** A route's example as a shell command; the key is in `API_KEY`. */
export function writeCurl({ method, path, operation }: Route, baseUrl: string): string {
  const { parameters, requestBody, security } = operation;
  const examplesOf = (place: string) =>
    parameters.flatMap((parameter) => {
      const example = parameter.example ?? parameter.schema.example;
      const isShown = parameter.in === place && example !== undefined;
      return isShown ? [{ name: parameter.name, text: encodeURIComponent(String(example)) }] : [];
    });
  const filled = examplesOf('path').reduce((at, { name, text }) => at.replace(`{${name}}`, text), path);
  const query = examplesOf('query').map(({ name, text }) => `${name}=${text}`);
  const url = query.length === 0 ? `${baseUrl}${filled}` : `${baseUrl}${filled}?${query.join('&')}`;
  const body = requestBody?.content['application/json']?.example;
  const isPlain = method === 'get' || (method === 'post' && body !== undefined);
  return [
    `curl --globoff ${isPlain ? '' : `--request ${method.toUpperCase()} `}${quote(url)}`,
    ...(security.length > 0 ? ['--header "X-API-Key: $API_KEY"'] : []),
    ...(body === undefined
      ? []
      : [`--header 'Content-Type: application/json'`, `--data ${quote(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

/** Within single quotes a shell changes nothing. */
function quote(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`;
}
