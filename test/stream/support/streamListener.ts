import { type ClientRequest, get } from 'node:http';

/** Follows the numbered events of a feed, and checks that each comes once and in order. */
export type StreamListener = {
  readonly count: number;
  readonly flaws: readonly string[];
  /** Destroys the connection at once, and resumes after the last complete event. */
  cut(): void;
  close(): void;
};

type Options = {
  readonly baseUrl: string;
  readonly apiKey: string;
};

const retryMs = 100;
/** After one gap, every later event would count as a flaw. */
const mostFlaws = 3;

export const idOf = (number: number): string => `evt_${String(number).padStart(64, '0')}`;

export function createStreamListener({ baseUrl, apiKey }: Options): StreamListener {
  const flaws: string[] = [];
  let cursor = '';
  let count = 0;
  let hasClosed = false;
  let request: ClientRequest | undefined;

  const take = (block: string) => {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const event = /^data: .*?"id":"(evt_\d+)"/m.exec(block)?.[1];
    if (event !== undefined) {
      if (event !== idOf(count) && flaws.length < mostFlaws)
        flaws.push(`${event} came in the place of ${idOf(count)}`);
      count++;
    }
    if (id !== undefined) cursor = id;
  };

  const connect = () => {
    if (hasClosed) return;
    let rest = '';
    const headers = { 'x-api-key': apiKey, 'last-event-id': cursor };
    const own = get(`${baseUrl}/v0/events/stream`, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200 && response.statusCode !== 429)
        flaws.push(`answered with ${response.statusCode}`);
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (request !== own) return;
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) take(block);
      });
      response.on('error', () => {});
    });
    request = own;
    own.on('error', () => {});
    own.on('close', () => {
      if (request === own) setTimeout(connect, retryMs);
    });
  };
  connect();
  return {
    get count() {
      return count;
    },
    flaws,
    cut() {
      const former = request;
      request = undefined;
      former?.destroy();
      connect();
    },
    close() {
      hasClosed = true;
      const last = request;
      request = undefined;
      last?.destroy();
    },
  };
}
