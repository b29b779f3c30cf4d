import { setTimeout as delay } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TraceSettings } from '../config/traceSettings.ts';

/** Time for the last spans when the process ends: the collector may be away. */
const closeTimeoutMs = 2_000;
const exportTimeoutMs = 5_000;

export type Tracing = { close(): Promise<void> };

/**
 * Sends the spans of this process to a collector in the background. If the collector is slow or away, spans are lost and nothing
 * else happens. Without settings, no SDK is loaded and nothing is sent.
 */
export async function startTracing(
  settings: TraceSettings | undefined,
  { process, logger }: { process: string; logger: Logger },
): Promise<Tracing> {
  if (!settings) return { async close() {} };
  const [core, sdk, { resourceFromAttributes }, { OTLPTraceExporter }, hooks] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const { url, headers, serviceName, ratio } = settings;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: exportTimeoutMs });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `${serviceName}-${process}` }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: tellFailures(exporter, { logger, success: core.ExportResultCode.SUCCESS }),
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const contexts = new hooks.AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  logger.info({ host: new URL(url).host, ratio }, 'sending traces');
  return {
    async close() {
      const ending = provider.shutdown().catch(() => {});
      await Promise.race([ending, delay(closeTimeoutMs, undefined, { ref: false })]);
      contexts.disable();
      context.disable();
      propagation.disable();
      trace.disable();
    },
  };
}

/** Logged once when it begins and once when it is over, however often it is tried. */
function tellFailures(
  exporter: SpanExporter,
  { logger, success }: { logger: Logger; success: ExportResult['code'] },
): SpanExporter {
  let isFailing = false;
  const note = ({ code, error }: ExportResult) => {
    if (isFailing === (code !== success)) return;
    isFailing = !isFailing;
    if (isFailing) logger.warn({ reason: error?.message }, 'failed to export traces; spans are dropped');
    else logger.info('trace export works again');
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        note(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
