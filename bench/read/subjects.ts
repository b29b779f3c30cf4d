import { addressOf, chainId, longHistoryEvery, recordIdOf } from './seedAgreements.ts';
import type { Load } from './sendLoad.ts';

export const routes = ['/v0/agreements', '/{id}', '/{id}/state', '/{id}/inputs'] as const;
export type Route = (typeof routes)[number];

type Requests = Load['requests'];

/** Number of different agreements requested in turn, from all over the table. */
const asked = 500;

/**
 * The numbers of the requested agreements. For the route of the inputs, only agreements with a history of
 * more than a page.
 */
function numbersFor(route: Route, size: number): number[] {
  const step = route === '/{id}/inputs' ? longHistoryEvery : 1;
  const candidates = Math.floor(size / step);
  const count = Math.min(asked, candidates);
  return Array.from({ length: count }, (_, at) => step * (1 + Math.floor((at * candidates) / count)));
}

/** Requests to the service, and to the bare handler with the same paths. */
export function restRequests(route: Route, size: number): Requests {
  if (route === '/v0/agreements') return [{ method: 'GET', path: route }];
  return numbersFor(route, size).map((number) => ({
    method: 'GET',
    path: `/v0/agreements${route.replace('{id}', recordIdOf(number))}`,
  }));
}

const agreement = `chainId address owner docUri docHash initialState currentState inputCount transitionCount transactionHash
  blockNumber blockTimestamp updatedBlockNumber updatedBlockTimestamp`;
const input = `chainId agreement position inputId fromState toState sequence payload fields permitSigner permitSubmitter
  transactionHash transactionFrom blockNumber blockTimestamp`;

/** The same rows of the index in Ponder's GraphQL. */
export function graphqlRequests(route: Route, size: number): Requests {
  const ask = (query: string): Requests[number] => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query }),
  });
  if (route === '/v0/agreements')
    return [
      ask(
        `{agreements(orderBy:"blockNumber",orderDirection:"desc",limit:25){items{${agreement}} pageInfo{endCursor}}}`,
      ),
    ];
  return numbersFor(route, size).map((number) => {
    const address = addressOf(number);
    if (route === '/{id}/inputs')
      return ask(
        `{inputs(where:{chainId:${chainId},agreement:"${address}"},orderBy:"position",orderDirection:"desc",limit:25){items{${input}} pageInfo{endCursor}}}`,
      );
    const fields = route === '/{id}' ? agreement : 'currentState updatedBlockNumber updatedBlockTimestamp';
    return ask(`{agreement(chainId:${chainId},address:"${address}"){${fields}}}`);
  });
}
