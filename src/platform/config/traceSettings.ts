import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

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

const url = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'expected a URL that starts with http:// or https://',
  );

const headers = z
  .string()
  .default('')
  .transform((text, issues) => {
    const entries = text
      .split(',')
      .filter((item) => item.trim() !== '')
      .map(parseHeader);
    const named = entries.filter((entry) => entry !== undefined);
    if (named.length < entries.length)
      issues.addIssue({
        code: 'custom',
        message: 'expected name=value, comma-separated, with values as in URLs',
      });
    return Object.fromEntries(named);
  });

const shape = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers,
  OTEL_SERVICE_NAME: z.string().default('agreements'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|1\.0{1,9}|0?\.\d{1,9})$/, 'expected a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_SDK_DISABLED: z.string().optional(),
});

/**
 * Reads where traces go from OpenTelemetry's standard variables. Undefined without an address, or if
 * `OTEL_SDK_DISABLED` is true.
 *
 * @throws ConfigurationError naming every variable that is wrong.
 */
export function readTraceSettings(env: NodeJS.ProcessEnv): TraceSettings | undefined {
  const result = shape.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value)));
  if (!result.success)
    throw new ConfigurationError(
      result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
    );
  const set = result.data;
  const base = set.OTEL_EXPORTER_OTLP_ENDPOINT;
  const address = set.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (address === undefined || set.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  return {
    url: address,
    headers: { ...set.OTEL_EXPORTER_OTLP_HEADERS, ...set.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    serviceName: set.OTEL_SERVICE_NAME,
    ratio: set.OTEL_TRACES_SAMPLER_ARG,
  };
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
