import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** A span's name, and the attributes known from the start. */
type SpanPlan = {
  readonly name: string;
  readonly kind?: keyof typeof SpanKind;
  /** Nothing secret: no keys, no bodies, and only the hosts of other people's addresses. */
  readonly attributes?: Attributes;
};
type Continued = SpanPlan & { readonly traceParent: string | null | undefined };

/** The span of some work, for attributes known only later. */
type RunningSpan = {
  /** With an `error.type` among the attributes, the span counts as a failure. */
  note(attributes: Attributes): void;
  rename(name: string): void;
};
type Work<Result> = (span: RunningSpan) => Promise<Result>;

/** A span that its holder ends; a span that is never ended is never exported. */
export type OpenSpan = {
  /** The parent for others to continue its trace. */
  readonly traceParent: string;
  end(): void;
};

/** Whether spans are exported: only then has `startTracing` set a propagator. */
export function isTracing(): boolean {
  return propagation.fields().length > 0;
}

/** The running work's position in its trace, in the form of the header `traceparent`; null without a trace. */
export function currentTraceParent(): string | null {
  return writeTraceParent(context.active());
}

/** Runs work that begins a trace or continues the caller's. */
export function traceEntry<Result>({ traceParent, ...plan }: Continued, work: Work<Result>): Promise<Result> {
  return run(readContext(traceParent), plan, work);
}

/** Runs part of a trace's work as a span of its own; without a trace it just runs the work. */
export function traceStep<Result>(plan: SpanPlan, work: Work<Result>): Promise<Result> {
  const active = context.active();
  return trace.getSpanContext(active) ? run(active, plan, work) : work(unseen);
}

/** Runs work as part of a stored trace; without one it just runs the work. */
export function continueTrace<Result>(continued: Continued, work: Work<Result>): Promise<Result> {
  return continued.traceParent ? traceEntry(continued, work) : work(unseen);
}

/** Begins a span that continues a trace or begins one; undefined if this process exports no spans. */
export function beginSpan({ traceParent, ...plan }: Continued): OpenSpan | undefined {
  const parent = readContext(traceParent);
  const span = start(parent, plan);
  const written = writeTraceParent(trace.setSpan(parent, span));
  return written === null ? undefined : { traceParent: written, end: () => span.end() };
}

async function run<Result>(parent: Context, plan: SpanPlan, work: Work<Result>): Promise<Result> {
  const span = start(parent, plan);
  const running: RunningSpan = {
    note(attributes) {
      span.setAttributes(attributes);
      if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    },
    rename: (name) => void span.updateName(name),
  };
  try {
    return await context.with(trace.setSpan(parent, span), () => work(running));
  } catch (error) {
    // The message may quote a secret, such as a node's address.
    running.note({ 'error.type': error instanceof Error ? error.name : 'unknown' });
    throw error;
  } finally {
    span.end();
  }
}

function start(parent: Context, { name, kind = 'INTERNAL', attributes = {} }: SpanPlan): Span {
  return trace.getTracer('agreements-service').startSpan(name, { kind: SpanKind[kind], attributes }, parent);
}

function readContext(traceParent: string | null | undefined): Context {
  return traceParent ? propagation.extract(ROOT_CONTEXT, { traceparent: traceParent }) : ROOT_CONTEXT;
}

function writeTraceParent(of: Context): string | null {
  const headers: { traceparent?: string } = {};
  propagation.inject(of, headers);
  return headers.traceparent ?? null;
}

const unseen: RunningSpan = { note() {}, rename() {} };
