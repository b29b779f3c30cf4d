import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Messages between the parts of the benchmark; times in milliseconds since 1970. */
export const receiversReport = z.object({
  kind: z.literal('receivers'),
  /** URLs of the quick receivers, the slow one and the dead one. */
  urls: z.array(z.string()),
  slowUrl: z.string(),
  deadUrl: z.string(),
});
export const countReport = z.object({
  kind: z.literal('count'),
  /**
   * The number of requests to the quick receivers since the last reset, and the times of the first and the
   * last one.
   */
  received: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
});
export const memoryReport = z.object({
  kind: z.literal('memory'),
  residentMb: z.number(),
  /** Processor time since its start. */
  cpuMs: z.number(),
});
export const anchorReport = z.object({ kind: z.literal('anchor'), perSecond: z.number() });

export type Part = {
  pid: number;
  /** Sends a request, and resolves with its answer. */
  ask<T extends z.ZodType>(request: Record<string, unknown>, shape: T): Promise<z.output<T>>;
  stop(): Promise<void>;
};

/** Starts a part of the benchmark as a separate process. */
export function startPart(file: string, args: readonly string[], flags: readonly string[] = []): Part {
  const child: ChildProcess = fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: [...flags],
  });
  const ended = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    async ask(request, shape) {
      const answer = once(child, 'message');
      child.send(request);
      const [message] = await Promise.race([
        answer,
        ended.then(() => Promise.reject(new Error(`${file} ended`))),
      ]);
      return shape.parse(message);
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
