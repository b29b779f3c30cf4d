import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';
import { readTraceSettings } from '../../../src/platform/config/traceSettings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

describe('readTraceSettings', () => {
  test('sends nothing without an address, or if it is switched off', () => {
    expect(readTraceSettings({})).toBeUndefined();
    expect(readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
    expect(readTraceSettings({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
  });

  test('adds the path of traces to the base, and uses a full address unchanged', () => {
    expect(readTraceSettings(endpoint)).toEqual({
      url: 'http://collector:4318/v1/traces',
      headers: {},
      serviceName: 'agreements',
      ratio: 1,
    });
    const whole = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in' };
    expect(readTraceSettings(whole)?.url).toBe('https://traces.example/in');
  });

  test('reads headers as in URLs, those of traces last', () => {
    const settings = readTraceSettings({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc%3D, x-tenant = one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=two',
    });
    expect(settings?.headers).toEqual({ authorization: 'Bearer abc=', 'x-tenant': 'two' });
  });

  test.each(['0', '1', '1.0', '0.25', '.5'])('takes the share %s', (share) => {
    const settings = readTraceSettings({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: share });
    expect(settings?.ratio).toBe(Number(share));
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no header'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=%zz'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('refuses %s=%s by name', (variable, value) => {
    expect(() => readTraceSettings({ ...endpoint, [variable]: value })).toThrow(ConfigurationError);
    expect(() => readTraceSettings({ ...endpoint, [variable]: value })).toThrow(variable);
  });
});
