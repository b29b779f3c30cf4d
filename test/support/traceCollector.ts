import { z } from 'zod';
import { type Answer, type Receiver, startReceiver } from './receiver.ts';

const attributeShape = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.number(), z.string()]).optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
  }),
});
const spanShape = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.union([z.string(), z.number()]),
  endTimeUnixNano: z.union([z.string(), z.number()]),
  attributes: z.array(attributeShape).default([]),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).optional(),
});
const exportShape = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attributeShape) }),
      scopeSpans: z.array(z.object({ spans: z.array(spanShape) })),
    }),
  ),
});

export type CollectedSpan = {
  service: unknown;
  traceId: string;
  spanId: string;
  /** Undefined for a trace's first span. */
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  isFailed: boolean;
  attributes: Record<string, unknown>;
};

export type TraceCollector = Receiver & {
  spans(): CollectedSpan[];
};

const accept: Answer = (response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** A collector of OTLP traces, over HTTP with JSON, on the loopback interface. */
export async function startTraceCollector(answer: Answer = accept): Promise<TraceCollector> {
  const receiver = await startReceiver(answer);
  return {
    ...receiver,
    spans: () => receiver.received.flatMap(({ body }) => readSpans(JSON.parse(body.toString()))),
  };
}

const errorStatus = 2;

function readSpans(body: unknown): CollectedSpan[] {
  return exportShape.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = valuesOf(resource.attributes)['service.name'];
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        service,
        ...{ traceId, spanId, name, kind },
        parentSpanId: parentSpanId || undefined,
        isFailed: status?.code === errorStatus,
        attributes: valuesOf(attributes),
      }));
  });
}

function valuesOf(attributes: z.infer<typeof attributeShape>[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
