import { longHistoryEvery, recordIdOf, seededAt } from './seedAgreements.ts';

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** Every kind of read of a list or a record, with its filters and orders, by its path. */
export function filteredRequests(size: number): readonly string[] {
  const middle = Math.floor(size / 2);
  const record = recordIdOf(middle);
  const long = recordIdOf(longHistoryEvery * Math.max(1, Math.floor(size / longHistoryEvery / 2)));
  const between = (column: string, from: number, to: number) =>
    `${column}[gte]=${iso(from)}&${column}[lt]=${iso(to)}`;
  const narrow = [seededAt(middle), seededAt(middle) + 60] as const;
  const wide = [seededAt(Math.floor(size / 4)), seededAt(Math.floor((3 * size) / 4))] as const;
  const list = '/v0/agreements';
  const inputs = `${list}/${long}/inputs`;
  return [
    `${list}/${record}`,
    `${list}/${record}/state`,
    ...['', '?limit=100', '?state=PONG', '?state=nowhere', '?chainId=59141', '?sort[createdAt]=asc'].map(
      (query) => list + query,
    ),
    ...['?sort[updatedAt]=desc', '?sort[displayName]=asc', '?state=PONG&sort[updatedAt]=asc'].map(
      (query) => list + query,
    ),
    ...[`${middle}`, ''].map(
      (number) => `${list}?displayName[startsWith]=${encodeURIComponent(`Ping pong ${number}`)}`,
    ),
    `${list}?${between('createdAt', ...narrow)}`,
    `${list}?${between('updatedAt', ...narrow)}`,
    `${list}?${between('createdAt', ...wide)}`,
    `${list}?state=PING&${between('createdAt', ...narrow)}`,
    `${list}?${between('updatedAt', ...narrow)}&sort[displayName]=asc`,
    ...['', '?status=MINED', '?status=FAILED', '?inputId=hit', '?sort[createdAt]=asc'].map(
      (query) => inputs + query,
    ),
    `${inputs}?${between('createdAt', ...narrow)}`,
    '/v0/events',
    '/v0/webhooks',
  ];
}
