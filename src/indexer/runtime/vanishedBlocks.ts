/** After this many tries, a missing block is not just late. */
const mostMisses = 3;
const mostRemembered = 1_000;

const logsOfBlock = /"method":"eth_getLogs".*"blockHash":"(0x[0-9a-f]{64})"/i;
const unknownBlock = /"error".*(unknown block|not found|(?:could not|unable to) find)/is;

/**
 * A block that a reorg removes between its header and its logs never comes back. Ponder would ask for its logs ten
 * times, for more than a minute, while all later blocks wait. From the third time on it gets an error that it does not
 * retry. Then it asks for the latest block again, and finds the reorg.
 */
export function giveUpVanishedBlocks(): void {
  const fetchUrl = globalThis.fetch;
  const misses = new Map<string, number>();
  globalThis.fetch = async (input, init) => {
    const asked = input instanceof Request ? await input.clone().text() : '';
    const response = await fetchUrl(input, init);
    const [, hash] = logsOfBlock.exec(asked) ?? [];
    if (hash === undefined || !response.ok) return response;
    const answer = await response.text();
    const { status } = response;
    if (!unknownBlock.test(answer.slice(0, 1_000))) return new Response(answer, { status, headers });
    const count = (misses.get(hash) ?? 0) + 1;
    if (misses.size === mostRemembered) misses.clear();
    misses.set(hash, count);
    return new Response(answer, { status: count < mostMisses ? status : 404, headers });
  };
}

const headers = { 'content-type': 'application/json' };
