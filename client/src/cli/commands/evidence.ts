import { writeFile } from 'node:fs/promises';
import { Argument, type Command, Option } from 'commander';
import {
  type EvidenceAct,
  type EvidenceFinding,
  type EvidenceLayout,
  evidenceLevels,
  reachesLevel,
  verifyEvidence,
  writeTime,
} from '../../verify/index.ts';
import { CliError, exitCodes } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { askBlockHashes } from '../evidence/askBlockHashes.ts';
import { readFile } from '../readFile.ts';
import { type ChainChoice, readChain, takeRecord } from '../recordReference.ts';
import { paint, plain, plainJson } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

type VerifyChoices = {
  require: (typeof evidenceLevels)[number];
  trustHash: readonly string[];
  trustSequencer: readonly string[];
  trustLayout?: string;
  rpc?: string;
  quorum: string;
};

const hashPattern = /^(\d{1,15}):(0x[0-9a-fA-F]{64})$/;
const slotPattern = /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/;
const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** `evidence` fetches a file, `verify` checks one without the service. */
export function addEvidenceCommands(program: Command, context: Context): void {
  addEvidence(program, context);
  addVerify(program, context);
}

function addEvidence(program: Command, context: Context): void {
  takeRecord(program.command('evidence'))
    .description(
      'fetch a file that proves what happened to an agreement, also to readers who do not trust the service',
    )
    .option('--out <file>', 'write to this file instead of printing')
    .addHelpText('after', writeExamples('evidence agr_… --out loan.json', 'verify loan.json'))
    .action(async (id: string, { out, ...options }: ChainChoice & { out?: string }) => {
      const query = readChain(options);
      const text = await context
        .client()
        .agreements.readEvidence(id, { ...query, signal: context.terminal.stopped });
      if (out === undefined) {
        const { terminal } = context;
        // A program or a file gets the bytes that the service sent: they are compared.
        return terminal.print(terminal.isScreen ? plainJson(text.trimEnd()) : text.trimEnd());
      }
      await writeFile(out, text);
      const bytes = Buffer.byteLength(text);
      context.answer({ value: { file: out, bytes }, text: `${out}: ${bytes} bytes` });
    });
}

function addVerify(program: Command, context: Context): void {
  program
    .command('verify')
    .description('check an evidence file on this machine; only --rpc makes requests')
    .addArgument(new Argument('<file>', 'a file from `agreements evidence` or the service'))
    .addOption(
      new Option('--require <level>', 'fail if the file does not reach this level')
        .choices(evidenceLevels.slice(1))
        .default('included'),
    )
    .option(
      '--trust-hash <n:0x…>',
      'the hash of block n, from a source that you trust; repeatable',
      collect,
      [],
    )
    .option('--trust-sequencer <0x…>', 'an account that signs the chain’s headers; repeatable', collect, [])
    .option(
      '--trust-layout <slots>',
      'the engine’s four slots of docHash, initialState, currentState and nonces, separated by commas',
    )
    .option('--rpc <urls>', 'nodes to ask for the block hashes, separated by commas')
    .option('--quorum <count>', 'how many nodes must report the same hash', '2')
    .addHelpText(
      'after',
      `
Levels:
  signed     every step has a signature, and the document allows the steps
  included   also, proofs show that the steps are in the listed blocks
  anchored   also, --trust-hash, --trust-sequencer or --rpc confirmed the hashes of these blocks. Signatures may then be
             missing, because the blocks show what the chain accepted
What the contract's storage shows is proved only at the level anchored, and only if --trust-layout names the file's layout.
Exit codes: 0 the file reaches the level, 1 it is refused or does not reach the level, or the nodes contradict each other,
2 wrong use, 5 too few nodes answered.

Examples:
  agreements verify loan.json
  agreements verify loan.json --require anchored --rpc https://a.example,https://b.example,https://c.example --quorum 2`,
    )
    .action(async (file: string, choices: VerifyChoices) => {
      const trusted = readTrusted(choices);
      const { stopped } = context.terminal;
      const bytes = await readFile(file, stopped);
      const options = {
        ...{ trustedHashes: trusted, trustedSequencers: choices.trustSequencer.map(readAddress) },
        layout: readLayout(choices.trustLayout),
      };
      let verdict = await verifyEvidence(bytes, options);
      if (verdict.ok && choices.rpc !== undefined) {
        const urls = choices.rpc.split(',').filter((url) => url !== '');
        const { blocks, chain } = verdict;
        const quorum = Number(choices.quorum);
        const answer = await askBlockHashes({ urls, quorum, blocks, ...chain, signal: stopped });
        // The file agrees with the given hashes. It is refused if the nodes confirm other ones.
        const trustedHashes = new Map([...trusted, ...answer.confirmed]);
        verdict = await verifyEvidence(bytes, { ...options, trustedHashes });
        for (const { node, number, hash } of answer.dissent)
          context.terminal.printError(`${node} reports another hash of block ${number}: ${hash}`);
      }
      if (!verdict.ok) {
        const { reason, path, message } = verdict;
        const where = path === '' ? '' : ` (${path})`;
        context.answer({
          value: verdict,
          text: `${paint(context.terminal, 'red', 'refused')} ${reason}: ${plain(message + where)}`,
        });
        return context.endWith(exitCodes.refused);
      }
      const reaches = reachesLevel(verdict.level, choices.require);
      context.answer({ value: verdict, text: describe(context, verdict, choices.require) });
      if (!reaches) context.endWith(exitCodes.refused);
    });
}

function readTrusted({ trustHash, quorum }: VerifyChoices): Map<number, `0x${string}`> {
  if (!/^[1-9]\d?$/.test(quorum)) throw new CliError('--quorum takes a whole number from 1 to 99.');
  const trusted = new Map<number, `0x${string}`>();
  for (const text of trustHash) {
    const [, digits, named] = hashPattern.exec(text) ?? [];
    if (digits === undefined || named === undefined)
      throw new CliError('--trust-hash takes a block number, a colon, 0x and 64 hex digits.');
    const [number, hash] = [Number(digits), `0x${named.slice(2).toLowerCase()}` as const];
    if ((trusted.get(number) ?? hash) !== hash)
      throw new CliError(`--trust-hash names two hashes of block ${number}.`);
    trusted.set(number, hash);
  }
  return trusted;
}

function readAddress(text: string): `0x${string}` {
  if (!addressPattern.test(text)) throw new CliError('--trust-sequencer takes an address.');
  return `0x${text.slice(2).toLowerCase()}`;
}

function readLayout(text: string | undefined): EvidenceLayout | undefined {
  if (text === undefined) return undefined;
  const slots = text.split(',').map((slot): `0x${string}` | undefined => {
    if (!slotPattern.test(slot)) return undefined;
    const digits = BigInt(slot).toString(16).padStart(64, '0');
    return digits.length === 64 ? `0x${digits}` : undefined;
  });
  const [docHash, initialState, currentState, nonces] = slots;
  if (slots.length !== 4 || !docHash || !initialState || !currentState || !nonces)
    throw new CliError('--trust-layout takes four slots: decimal, or 0x and hex digits.');
  return { docHash, initialState, currentState, nonces };
}

function describe({ terminal }: Context, finding: EvidenceFinding, demanded: string): string {
  const { name, chain, agreement, level, acts, established, trusted, notShown } = finding;
  const reaches = reachesLevel(level, evidenceLevels.find((one) => one === demanded) ?? 'included');
  const list = (title: string, items: readonly string[]) => [
    '',
    paint(terminal, 'bold', title),
    ...items.map((item) => `  - ${plain(item)}`),
  ];
  return [
    `${quote(name)} on ${chain.name}, ${agreement.address}`,
    `${paint(terminal, reaches ? 'green' : 'red', level)}${reaches ? '' : ` (${demanded} is required)`}, state ${quote(agreement.state)}`,
    '',
    ...acts.map((act) => plain(describeAct(act))),
    ...list('What is established', established),
    ...list('What is trusted', trusted),
    ...list('What this does not show', notShown),
  ].join('\n');
}

/** A text of the document in quotes, so that it cannot pass for a text of this program. */
function quote(text: string): string {
  return JSON.stringify(plain(text));
}

function describeAct({ time, actor, roles, by, input, toState }: EvidenceAct): string {
  const called = roles.length === 0 ? '' : ` (in the text: ${roles.map(quote).join(', ')})`;
  const who = actor === null ? 'somebody' : `${actor}${called}`;
  const how =
    by === 'permit'
      ? 'by permit'
      : by === 'transaction'
        ? 'by own transaction'
        : 'according to the receipt, no readable signature';
  const what = input === null ? 'deployed the agreement' : quote(input);
  return `${writeTime(time)}  ${who}, ${how}: ${what} → ${quote(toState)}`;
}
