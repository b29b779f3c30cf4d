const costs = new WeakMap<Response, number>();

/** Notes the bytes that were read for an answer, if they are more than it has. */
export function noteReadBytes(answer: Response, bytes: number): Response {
  costs.set(answer, bytes);
  return answer;
}

/** What an answer cost: the bytes that were read for it, or its own if they are known. */
export function costOf(answer: Response): number {
  return Math.max(costs.get(answer) ?? 0, Number(answer.headers.get('content-length') ?? 0));
}
