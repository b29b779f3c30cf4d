import type * as OpenTelemetry from '@opentelemetry/api';

/** What spans are made with. There is one in a process that traces, and in no other is any of it loaded. */
export type TracingBackend = {
  readonly api: typeof OpenTelemetry;
  readonly tracer: OpenTelemetry.Tracer;
};

export type SpanPlan = {
  readonly name: string;
  readonly kind?: 'SERVER' | 'CLIENT' | 'INTERNAL';
  /** Nothing secret: no keys, no bodies, and of addresses of others the host alone. */
  readonly attributes?: OpenTelemetry.Attributes;
};

/** The span of some work, for what is known only later. */
export type RunningSpan = {
  /** With an `error.type` among them it is that of a failure. */
  note(attributes: OpenTelemetry.Attributes): void;
  rename(name: string): void;
};

type Work<Result> = (span: RunningSpan) => Promise<Result>;

/** A span that is ended by hand, or is never seen by anybody. */
export type OpenSpan = {
  /** By which others continue its trace. */
  readonly traceParent: string;
  end(): void;
};

let backend: TracingBackend | undefined;

/** Has the spans of this process made from now on; with undefined, no longer. */
export function setTracingBackend(next: TracingBackend | undefined): void {
  backend = next;
}

/** Whether spans are made. Where not, everything here does nothing but the work that it is given. */
export function isTracing(): boolean {
  return backend !== undefined;
}

/** Where the running work stands in its trace, in the form of the header `traceparent`; null where it is traced by nobody. */
export function currentTraceParent(): string | null {
  if (!backend) return null;
  const { context } = backend.api;
  return writeTraceParent(backend, context.active());
}

/** Runs work that begins a trace, or continues the one of a caller. What it does is a part of the span. */
export function traceEntry<Result>(
  { traceParent, ...plan }: SpanPlan & { traceParent: string | null | undefined },
  work: Work<Result>,
): Promise<Result> {
  return backend ? run(backend, readContext(backend, traceParent), { plan, work }) : work(unseen);
}

/** Runs a part of the work of a trace as a span of its own; just runs it where there is no trace. */
export function traceStep<Result>(plan: SpanPlan, work: Work<Result>): Promise<Result> {
  if (!backend) return work(unseen);
  const { api } = backend;
  const active = api.context.active();
  return api.trace.getSpanContext(active) ? run(backend, active, { plan, work }) : work(unseen);
}

/** Runs work as a part of the trace that something was stored with; just runs it where that is none. */
export function continueTrace<Result>(
  { traceParent, ...plan }: SpanPlan & { traceParent: string | null | undefined },
  work: Work<Result>,
): Promise<Result> {
  return backend && traceParent
    ? run(backend, readContext(backend, traceParent), { plan, work })
    : work(unseen);
}

/** Begins a span that continues a trace, or begins one; undefined where nobody traces. */
export function beginSpan({
  traceParent,
  ...plan
}: SpanPlan & { traceParent: string | null | undefined }): OpenSpan | undefined {
  if (!backend) return undefined;
  const parent = readContext(backend, traceParent);
  const span = start(backend, parent, plan);
  const written = writeTraceParent(backend, backend.api.trace.setSpan(parent, span));
  return written === null ? undefined : { traceParent: written, end: () => span.end() };
}

async function run<Result>(
  { api, tracer }: TracingBackend,
  parent: OpenTelemetry.Context,
  { plan, work }: { plan: SpanPlan; work: Work<Result> },
): Promise<Result> {
  const span = start({ api, tracer }, parent, plan);
  const running: RunningSpan = {
    note(attributes) {
      span.setAttributes(attributes);
      if (attributes['error.type'] !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
    },
    rename(name) {
      span.updateName(name);
    },
  };
  try {
    return await api.context.with(api.trace.setSpan(parent, span), () => work(running));
  } catch (error) {
    // The message may quote what must not be told, such as the address of a node.
    running.note({ 'error.type': error instanceof Error ? error.name : 'unknown' });
    throw error;
  } finally {
    span.end();
  }
}

function start(
  { api, tracer }: TracingBackend,
  parent: OpenTelemetry.Context,
  { name, kind = 'INTERNAL', attributes = {} }: SpanPlan,
): OpenTelemetry.Span {
  return tracer.startSpan(name, { kind: api.SpanKind[kind], attributes }, parent);
}

function readContext({ api }: TracingBackend, traceParent: string | null | undefined): OpenTelemetry.Context {
  return traceParent
    ? api.propagation.extract(api.ROOT_CONTEXT, { traceparent: traceParent })
    : api.ROOT_CONTEXT;
}

function writeTraceParent({ api }: TracingBackend, of: OpenTelemetry.Context): string | null {
  const headers: { traceparent?: string } = {};
  api.propagation.inject(of, headers);
  return headers.traceparent ?? null;
}

const unseen: RunningSpan = { note() {}, rename() {} };
