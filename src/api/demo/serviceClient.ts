import { z } from 'zod';

const errorShape = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.looseObject({}).optional() }),
});

const envelopeShape = z.object({ data: z.unknown() });

/** The service answered with an error. */
export class ServiceResponseError extends Error {
  override readonly name = 'ServiceResponseError';
  readonly status: number;
  readonly code: string;
  readonly reason: unknown;
  readonly details: unknown;

  constructor(status: number, body: unknown) {
    const { error } = errorShape
      .catch({ error: { code: 'unreadable', message: 'no error body' } })
      .parse(body);
    super(`${status} ${error.code}: ${error.message} ${JSON.stringify(error.details ?? {})}`);
    this.status = status;
    this.code = error.code;
    this.reason = error.details?.reason;
    this.details = error.details;
  }
}

export type ServiceClient = {
  /** The `data` of the answer. Throws ServiceResponseError for every status that is no success. */
  get<T extends z.ZodType>(path: string, shape: T): Promise<z.output<T>>;
  post<T extends z.ZodType>(path: string, body: unknown, shape: T): Promise<z.output<T>>;
};

/** Calls the service as any program would: JSON over HTTP with an API key. */
export function createServiceClient(options: { baseUrl: string; apiKey: string }): ServiceClient {
  async function call<T extends z.ZodType>(path: string, init: RequestInit, shape: T): Promise<z.output<T>> {
    const response = await fetch(`${options.baseUrl}/v0${path}`, {
      ...init,
      headers: { 'x-api-key': options.apiKey, 'content-type': 'application/json' },
    });
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new ServiceResponseError(response.status, body);
    return shape.parse(envelopeShape.parse(body).data);
  }
  return {
    get: (path, shape) => call(path, {}, shape),
    post: (path, body, shape) => call(path, { method: 'POST', body: JSON.stringify(body) }, shape),
  };
}
