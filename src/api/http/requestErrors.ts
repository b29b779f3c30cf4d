import { ServiceError } from '../errors/serviceError.ts';

/** No route has this path. */
export class UnknownRouteError extends ServiceError {
  override readonly name = 'UnknownRouteError';
}

/** The path is a route's, the method is not. */
export class MethodNotAllowedError extends ServiceError {
  override readonly name = 'MethodNotAllowedError';
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super(`This route is used with ${allowed.join(' or ')}.`);
    this.allowed = allowed;
  }
}

/** The body is larger than the service reads, or a part of it than the service stores. */
export class PayloadTooLargeError extends ServiceError {
  override readonly name = 'PayloadTooLargeError';
  readonly limitBytes: number;
  readonly field: string | undefined;

  constructor(message: string, { limitBytes, field }: { limitBytes: number; field?: string }) {
    super(message);
    this.limitBytes = limitBytes;
    this.field = field;
  }
}

/** The body is not of a kind that the route reads. */
export class UnsupportedMediaTypeError extends ServiceError {
  override readonly name = 'UnsupportedMediaTypeError';
}
