import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';
import { patienceMs } from '../test/support/patience.ts';
import type { SignedInput } from './relayCalls.ts';

const answerShape = z.object({ data: z.object({ id: z.string(), txHash: z.string().nullish() }) });

/** An accepted input, with the hash of its signed transaction unless the service stopped waiting for it. */
type Answer = z.infer<typeof answerShape>['data'];

export type InputSender = {
  /** @throws Error with the status and the body of an answer that is no success. */
  send(call: Pick<SignedInput, 'recordId' | 'body'>): Promise<Answer>;
  close(): Promise<void>;
};

/**
 * Submits inputs with the headers of the client library, and with less processor time: on the machine of the
 * measurement, the caller takes it from the service.
 */
export function createInputSender({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): InputSender {
  const pool = new Pool(baseUrl, { headersTimeout: patienceMs, bodyTimeout: patienceMs });
  const json = 'application/json';
  const headers = { accept: json, 'content-type': json, 'x-api-key': apiKey };
  return {
    async send({ recordId, body }) {
      const answer = await pool.request({
        method: 'POST',
        path: `/v0/agreements/${recordId}/input`,
        headers: {
          ...headers,
          'idempotency-key': randomUUID(),
          'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
        },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
      return answerShape.parse(JSON.parse(text)).data;
    },
    close: () => pool.close(),
  };
}
