import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { bytesBeforeRequest } from './idleConnections.ts';

/** Limits for one answer, whatever part of it is kept. */
export type AnswerLimits = {
  /** Interim responses (1xx) before the status. */
  interim: number;
  /** Chunks of the body; also reads from the connection. */
  pieces: number;
  /** Bytes read from the connection. */
  bytes: number;
};

/** An answer that is not read on. The message is for the subscription's owner. */
export class AnswerRefusedError extends Error {
  override name = 'AnswerRefusedError';
}

const leastPieces = 1_024;
/** Room for interim responses, headers, framing, and what was read before the body was closed. */
const overheadBytes = 192 * 1_024;

/** The limits for an answer of which `responseBytes` of the body are kept. */
export const buildAnswerLimits = (responseBytes: number): AnswerLimits => ({
  interim: 8,
  pieces: Math.max(leastPieces, Math.ceil(responseBytes / 64)),
  bytes: overheadBytes + responseBytes,
});

/**
 * Aborts requests whose answer exceeds the limits on interim responses or chunks. It counts while the bytes
 * are parsed: a reader of the body would see the first chunk only after thousands were parsed.
 */
export const limitAnswers =
  (limits: AnswerLimits): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, limitHandler(handler, limits));

/** Ends a connection once the answer to its current request exceeds the limits on bytes or reads. */
export function limitReads(socket: Socket, limits: AnswerLimits): void {
  let before = 0;
  let reads = 0;
  socket.on('readable', () => {
    const beforeThis = bytesBeforeRequest(socket);
    reads = beforeThis === before ? reads + 1 : 1;
    before = beforeThis;
    if (socket.bytesRead - before > limits.bytes) socket.destroy(tooManyBytes(limits));
    else if (reads > limits.pieces) socket.destroy(tooManyPieces(limits));
  });
}

function limitHandler(handler: Dispatcher.DispatchHandler, limits: AnswerLimits): Dispatcher.DispatchHandler {
  let interim = 0;
  let chunks = 0;
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, statusText) {
      if (status < 200 && ++interim > limits.interim)
        controller.abort(
          new AnswerRefusedError(`the receiver sent more than ${limits.interim} interim responses`),
        );
      else handler.onResponseStart?.(controller, status, headers, statusText);
    },
    onResponseData(controller, chunk) {
      if (++chunks > limits.pieces) controller.abort(tooManyPieces(limits));
      else handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

const tooManyPieces = ({ pieces }: AnswerLimits) =>
  new AnswerRefusedError(`the response came in more than ${pieces} pieces`);

const tooManyBytes = ({ bytes }: AnswerLimits) =>
  new AnswerRefusedError(`the response has more than ${bytes} bytes`);
