import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { httpUrl, listOf } from './settingShapes.ts';

/** Where the traces of a process go. */
export type TraceSettings = {
  /** The address for OTLP traces over HTTP. */
  readonly url: string;
  /** Headers sent with each export; usually secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The name prefix of the processes; each adds its kind. */
  readonly serviceName: string;
  /** The share of traces begun here that is kept, from 0 to 1. For other traces their origin decides. */
  readonly ratio: number;
};

const headers = z
  .string()
  .transform((text, issues) => {
    const entries = listOf(text).map(parseHeader);
    const named = entries.filter((entry) => entry !== undefined);
    if (named.length < entries.length)
      issues.addIssue({
        code: 'custom',
        message: 'expected name=value, comma-separated, with values as in URLs',
      });
    return Object.fromEntries(named);
  })
  .optional();

const shape = z.object({
  base: variable('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl.optional()),
  url: variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl.optional()),
  allHeaders: variable('OTEL_EXPORTER_OTLP_HEADERS', headers),
  headers: variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS', headers),
  serviceName: variable('OTEL_SERVICE_NAME', z.string().default('agreements')),
  ratio: variable(
    'OTEL_TRACES_SAMPLER_ARG',
    z
      .string()
      .regex(/^(0|1|1\.0{1,9}|0?\.\d{1,9})$/, 'expected a number from 0 to 1')
      .transform(Number)
      .default(1),
  ),
  disabled: variable('OTEL_SDK_DISABLED', z.string().optional()),
});

/**
 * Reads where traces go from OpenTelemetry's standard variables. Undefined without an address, or if
 * `OTEL_SDK_DISABLED` is true.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readTraceSettings(env: NodeJS.ProcessEnv): TraceSettings | undefined {
  const { base, allHeaders, headers, serviceName, ratio, disabled, ...set } = readSettings(shape, env);
  const url = set.url ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (url === undefined || disabled?.toLowerCase() === 'true') return undefined;
  return { url, headers: { ...allHeaders, ...headers }, serviceName, ratio };
}

/** One `name=value`, percent-encoded; undefined if it is malformed. */
function parseHeader(item: string): [string, string] | undefined {
  const match = /^\s*([\w.!#$%&'*+^`|~-]+)\s*=(.*)$/.exec(item);
  if (!match) return undefined;
  const [, name = '', value = ''] = match;
  try {
    return [name.toLowerCase(), decodeURIComponent(value.trim())];
  } catch {
    return undefined;
  }
}
