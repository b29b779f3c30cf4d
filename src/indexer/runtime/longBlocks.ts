import { type Edit, editPonder } from './editPonder.ts';

const logsOfOneBlock =
  /"method":"eth_getLogs".*(?:"blockHash":"0x[0-9a-f]{64}"|"fromBlock":"(0x[0-9a-f]+)","toBlock":"\1")/i;
/** Of nodes that have more logs, or more bytes, than they give at once. Limits of rates have other words. */
const tooLong =
  /more than [\d,]+ (results|logs)|too many (results|logs)|max(imum)? (results|logs)|logs matched by query exceed|response (is |body )?too (large|big|long)|response size/i;
const headLength = 1_000;
/** In the error that Ponder gets instead of the node's, so that no other answer counts as too long. */
const marker = 'this block has more logs than the node gives at once';

/** Both modules ask for logs of contracts with this function. Ponder itself asks for those of 50 contracts at once. */
const readLogsOf = `const isTooLong = (error) => String(error.details).includes("${marker}");
const readLogsOf = (rpc, { address, ...filter }, context) => eth_getLogs(rpc, [{ ...filter, address }], context).catch(async (error) => {
    if (!isTooLong(error) || address.length < 2)
        throw error;
    const middle = Math.ceil(address.length / 2);
    const halves = [address.slice(0, middle), address.slice(middle)];
    const logs = await Promise.all(halves.map((half) => readLogsOf(rpc, { ...filter, address: half }, context)));
    return logs.flat();
});
`;

const ofThePast: readonly Edit[] = [
  [
    'export const createHistoricalSync = (args) => {',
    `${readLogsOf}export const createHistoricalSync = (args) => {`,
  ],
  [
    '// Note: skip eth_getLogs range retry logic if the chain\n',
    `if (isTooLong(error)) {
                const own = address ?? [...args.childAddresses.values()].flatMap((children) => [...children.keys()]);
                const [fromBlock, toBlock] = interval.map((number) => numberToHex(number));
                return readLogsOf(args.rpc, { address: [own].flat(), topics, fromBlock, toBlock }, context);
            }
            // Note: skip eth_getLogs range retry logic if the chain
`,
  ],
];

/**
 * Ponder fetches several new blocks at once. Which contracts count is known only after all blocks before, so a long block is
 * read again when its turn has come.
 */
const ofTheHead: readonly Edit[] = [
  [
    'export const createRealtimeSync = (args) => {',
    `${readLogsOf}export const createRealtimeSync = (args) => {`,
  ],
  [
    'const getLatestUnfinalizedBlock = () => {',
    `/** The logs of the followed contracts, those that the block creates included. */
    const readOwnLogs = async (blockHash, context) => {
        const fixed = new Set(logFilters.flatMap(({ address }) => isAddressFactory(address) ? address.address : address));
        const logs = await readLogsOf(args.rpc, { blockHash, address: [...fixed] }, context);
        const children = new Set([...childAddresses.values()].flatMap((known) => [...known.keys()]));
        for (const factory of factories)
            for (const log of logs)
                if (isLogFactoryMatched({ factory, log }))
                    children.add(getChildAddress({ log, factory }));
        const others = [...children].filter((address) => !fixed.has(address));
        const logsOfOthers = await readLogsOf(args.rpc, { blockHash, address: others }, context);
        // Ponder finds the transaction of each log by going through both in order.
        return logs.concat(logsOfOthers).sort((a, b) => hexToNumber(a.logIndex) - hexToNumber(b.logIndex));
    };
    const getLatestUnfinalizedBlock = () => {`,
  ],
  [
    'const fetchBlockEventData = async (maybeBlockHeader) => {',
    'const fetchBlockEventData = async (maybeBlockHeader, isPart = false) => {',
  ],
  [
    'logs = await eth_getLogs(args.rpc, [{ blockHash: block.hash }], context);',
    `try {
                    logs = isPart
                        ? await readOwnLogs(block.hash, context)
                        : await eth_getLogs(args.rpc, [{ blockHash: block.hash }], context);
                }
                catch (error) {
                    if (isPart || !isTooLong(error))
                        throw error;
                    return { block, isLong: true };
                }`,
  ],
  // A part may be empty although the block's bloom filter is not.
  [
    'validateLogsAndBlock(logs, block, {',
    'validateLogsAndBlock(logs, isPart ? { ...block, logsBloom: zeroLogsBloom } : block, {',
  ],
  [
    'filterBlockEventData(blockWithEventData);',
    'filterBlockEventData(blockWithEventData.isLong ? await fetchBlockEventData(block, true) : blockWithEventData);',
  ],
];

/**
 * Anybody may fill a block with more logs than a node gives at once. Ponder would ask for all of them again and again. Now it
 * asks for those of the followed contracts only. Call it before Ponder is loaded.
 */
export function readLongBlocks(): void {
  editPonder(
    new Map([
      ['sync-historical/index.js', ofThePast],
      ['sync-realtime/index.js', ofTheHead],
    ]),
  );
  refuseLongBlocks();
}

/** Gives Ponder an error that it does not retry, if a block's logs are too long for the node. */
export function refuseLongBlocks(): void {
  const fetchUrl = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const asked = input instanceof Request ? await input.clone().text() : '';
    const response = await fetchUrl(input, init);
    if (!logsOfOneBlock.test(asked)) return response;
    const answer = await response.text();
    const head = answer.slice(0, headLength);
    const isLong = response.status !== tooManyRequests && head.includes('"error"') && tooLong.test(head);
    if (!isLong) return new Response(answer, { status: response.status, headers });
    const error = `${marker}: ${head}`;
    return new Response(JSON.stringify({ error }), { status: notRetried, headers });
  };
}

const tooManyRequests = 429;
const notRetried = 404;
const headers = { 'content-type': 'application/json' };
