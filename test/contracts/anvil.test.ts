import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, encodeFunctionData, type Hash, parseGwei } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testTokenAbi as abi } from '../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../contracts-test/awaitReceipt.ts';
import { deployTestToken } from '../../contracts-test/deploy.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../support/anvilClient.ts';
import { accounts } from './support/chain.ts';

const chainId = 59141;
const holder = accounts.owner.address;
const launcher = new URL('support/launchAnvil.ts', import.meta.url).pathname;

let directory: string;
let stateFile: string;
let started: Anvil[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'anvil-test-'));
  stateFile = join(directory, 'chains', 'state.json');
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((anvil) => anvil.stop()));
  rmSync(directory, { recursive: true });
});

async function start(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, ...options });
  started.push(anvil);
  return anvil;
}

async function mint(anvil: Anvil, token: Address, amount: bigint) {
  const client = createAnvilClient(anvil.rpcUrl);
  const data = encodeFunctionData({ abi, functionName: 'mint', args: [holder, amount] });
  const hash = await client.sendTransaction({ account: holder, chain: null, to: token, data });
  return awaitReceipt(client, hash);
}

const signTransfer = (nonce: number, sender = accounts.owner) =>
  sender.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: holder,
    gas: 21_000n,
    maxFeePerGas: parseGwei('3'),
    maxPriorityFeePerGas: 1n,
  });

const readBalance = (anvil: Anvil, token: Address, blockNumber?: bigint) =>
  createAnvilClient(anvil.rpcUrl).readContract({
    address: token,
    abi,
    functionName: 'balanceOf',
    args: [holder],
    ...(blockNumber !== undefined && { blockNumber }),
  });

const answers = (rpcUrl: string) =>
  fetch(rpcUrl).then(
    () => true,
    () => false,
  );

describe('a started Anvil', () => {
  it('is the chain that was asked for, over HTTP and a web socket', async () => {
    const anvil = await start();
    expect(await createAnvilClient(anvil.rpcUrl).getChainId()).toBe(chainId);

    const socket = new WebSocket(anvil.wsUrl);
    await once(socket, 'open');
    const answer = once(socket, 'message');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }));
    const [message] = await answer;
    expect(JSON.parse(message.data)).toMatchObject({ result: '0xe705' });
    socket.close();
  });

  it('is gone when it has been stopped, and may be stopped twice', async () => {
    const anvil = await start();
    process.kill(anvil.pid, 0);
    await Promise.all([anvil.stop(), anvil.stop()]);
    expect(() => process.kill(anvil.pid, 0)).toThrow('ESRCH');
    expect(await answers(anvil.rpcUrl)).toBe(false);
  });

  it('listens on the given port, and says why it cannot', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(/Anvil ended with 1:[\s\S]*Address already in use/);
  });

  it('says why it cannot read its state', async () => {
    writeFileSync(join(directory, 'state.json'), '{"block":');
    await expect(start({ stateFile: join(directory, 'state.json') })).rejects.toThrow(
      /Anvil ended with [\s\S]*EOF/,
    );
  });

  it('appends its output to the log file', async () => {
    const logFile = join(directory, 'logs', 'anvil.log');
    const ports: number[] = [];
    for (let run = 0; run < 2; run++) {
      const anvil = await start({ logFile });
      ports.push(anvil.port);
      await anvil.stop();
    }
    const logged = [...readFileSync(logFile, 'utf8').matchAll(/Listening on 127\.0\.0\.1:(\d+)/g)];
    expect(logged.map(([, port]) => Number(port))).toEqual(ports);
  });

  it('makes blocks by the clock when it is asked to', async () => {
    const client = createAnvilClient((await start({ blockTime: 1 })).rpcUrl);
    await vi.waitFor(async () => expect(await client.getBlockNumber()).toBeGreaterThan(1n), {
      timeout: 10_000,
    });
  });

  it('mines transactions that it has queued although nothing comes before them', async () => {
    const anvil = await start();
    const client = createAnvilClient(anvil.rpcUrl);
    const hashes: Hash[] = [];
    for (const nonce of [5, 6, 7])
      hashes.push(await client.sendRawTransaction({ serializedTransaction: await signTransfer(nonce) }));
    // As after a block with the previous nonce that Anvil's pool has missed: even a new block leaves them out.
    await client.setNonce({ address: holder, nonce: 5 });
    await client.mine({ blocks: 1 });
    expect(await client.getTransactionCount({ address: holder })).toBe(5);
    const receipts = await Promise.all(hashes.map((hash) => awaitReceipt(client, hash)));
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 });
  });

  it('leaves transactions queued whose nonces are too high', async () => {
    const anvil = await start();
    const client = createAnvilClient(anvil.rpcUrl);
    const hash = await client.sendRawTransaction({ serializedTransaction: await signTransfer(1) });
    // Another sender's stuck transaction is freed later: by then, this one has been looked at as often.
    const serializedTransaction = await signTransfer(5, accounts.stranger);
    const other = await client.sendRawTransaction({ serializedTransaction });
    await client.setNonce({ address: accounts.stranger.address, nonce: 5 });
    await awaitReceipt(client, other);
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 1 });
    await client.sendRawTransaction({ serializedTransaction: await signTransfer(0) });
    expect((await awaitReceipt(client, hash)).status).toBe('success');
  });

  it('continues the chain of another node', async () => {
    const origin = await start();
    const token = await deployTestToken({ rpcUrl: origin.rpcUrl });
    await mint(origin, token, 5n);
    const blockNumber = Number(await createAnvilClient(origin.rpcUrl).getBlockNumber());
    const fork = await start({ fork: { url: origin.rpcUrl, blockNumber } });
    await mint(fork, token, 1n);
    expect(await readBalance(fork, token)).toBe(6n);
    expect(await readBalance(origin, token)).toBe(5n);
  });
});

describe('an Anvil with a state file', () => {
  it('resumes with the blocks, receipts, logs and states of before', async () => {
    let anvil = await start({ stateFile });
    const token = await deployTestToken({ rpcUrl: anvil.rpcUrl });
    const receipts = [
      await mint(anvil, token, 1n),
      await mint(anvil, token, 10n),
      await mint(anvil, token, 100n),
    ];
    const blocks = await readBlocks(anvil);
    const logs = await createAnvilClient(anvil.rpcUrl).getLogs({ fromBlock: 0n });
    await anvil.stop();

    anvil = await start({ stateFile });
    const client = createAnvilClient(anvil.rpcUrl);
    expect(await readBlocks(anvil)).toEqual(blocks);
    expect(await client.getLogs({ fromBlock: 0n })).toEqual(logs);
    for (const receipt of receipts) {
      const { transactionHash, blockHash, blockNumber, logs } = receipt;
      expect(await client.getTransactionReceipt({ hash: transactionHash })).toEqual(receipt);
      expect(await client.getTransaction({ hash: transactionHash })).toMatchObject({
        blockHash,
        blockNumber,
      });
      expect(await client.getLogs({ blockHash })).toEqual(logs);
    }
    const heights = receipts.map(({ blockNumber }) => blockNumber);
    expect(await Promise.all(heights.map((height) => readBalance(anvil, token, height)))).toEqual([
      1n,
      11n,
      111n,
    ]);
  });

  it('goes on from there: new blocks follow the old, and a reorg of them leads back to the old', async () => {
    let anvil = await start({ stateFile });
    const token = await deployTestToken({ rpcUrl: anvil.rpcUrl });
    const before = await mint(anvil, token, 1n);
    await anvil.stop();

    anvil = await start({ stateFile });
    const client = createAnvilClient(anvil.rpcUrl);
    const after = [await mint(anvil, token, 10n), await mint(anvil, token, 100n)];
    expect(after.map(({ blockNumber }) => blockNumber)).toEqual([
      before.blockNumber + 1n,
      before.blockNumber + 2n,
    ]);
    expect((await client.getBlock({ blockNumber: before.blockNumber + 1n })).parentHash).toBe(
      before.blockHash,
    );
    expect(await readBalance(anvil, token)).toBe(111n);

    await client.request<ReorgRequest>({ method: 'anvil_reorg', params: [2, []] });
    expect(await readBalance(anvil, token)).toBe(1n);
    expect(await client.getTransactionReceipt({ hash: before.transactionHash })).toEqual(before);
  });

  it('begins with the same block and keeps real time, however often it is resumed', async () => {
    let anvil = await start({ stateFile });
    await createAnvilClient(anvil.rpcUrl).mine({ blocks: 2 });
    const blocks = await readBlocks(anvil);
    const later = Math.floor(Date.now() / 1000) + 2;
    await vi.waitFor(() => expect(Date.now() / 1000).toBeGreaterThan(later), { timeout: 10_000 });
    for (let run = 0; run < 4; run++) {
      await anvil.stop();
      anvil = await start({ stateFile });
      expect((await readBlocks(anvil)).slice(0, blocks.length)).toEqual(blocks);
      await createAnvilClient(anvil.rpcUrl).mine({ blocks: 1 });
    }
    const { timestamp } = await createAnvilClient(anvil.rpcUrl).getBlock();
    expect(Number(timestamp)).toBeGreaterThanOrEqual(later);
  });

  it('is saved while it runs, so that a crash loses seconds and not the chain', async () => {
    let anvil = await start({ stateFile });
    const token = await deployTestToken({ rpcUrl: anvil.rpcUrl });
    await mint(anvil, token, 5n);
    const dumped = () => existsSync(`${stateFile}.dump`) && readFileSync(`${stateFile}.dump`, 'utf8');
    await vi.waitFor(() => expect(JSON.parse(dumped() || '')).toMatchObject({ best_block_number: 2 }), {
      timeout: 30_000,
      interval: 100,
    });
    await anvil.kill();

    anvil = await start({ stateFile });
    expect(await readBalance(anvil, token)).toBe(5n);
  });

  it('falls back on the state before when a dump was cut off', async () => {
    let anvil = await start({ stateFile });
    const token = await deployTestToken({ rpcUrl: anvil.rpcUrl });
    await anvil.stop();
    writeFileSync(`${stateFile}.dump`, readFileSync(stateFile, 'utf8').slice(0, -1));

    anvil = await start({ stateFile });
    expect(await readBalance(anvil, token)).toBe(0n);
  });
});

describe.skipIf(process.platform !== 'linux')('an Anvil whose parent dies', () => {
  it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])('of %s dies too, and saves its state', async (signal) => {
    const parent = spawn(process.execPath, [launcher, String(chainId), stateFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await once(parent.stdout, 'data');
    const rpcUrl = String(output).trim();
    const token = await deployTestToken({ rpcUrl });

    parent.kill(signal);
    await vi.waitFor(async () => expect(await answers(rpcUrl)).toBe(false), { timeout: 10_000 });
    const resumed = await start({ stateFile });
    expect(await readBalance(resumed, token)).toBe(0n);
  });
});

interface ReorgRequest {
  Method: 'anvil_reorg';
  Parameters: [depth: number, replacements: []];
  ReturnType: null;
}

async function readBlocks(anvil: Anvil) {
  const client = createAnvilClient(anvil.rpcUrl);
  const head = Number(await client.getBlockNumber());
  const heights = Array.from({ length: head + 1 }, (_, height) => BigInt(height));
  return Promise.all(
    heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })),
  );
}
