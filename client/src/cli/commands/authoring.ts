import type { Command } from 'commander';
import { findTitle } from '../../../../src/protocol/findTitle.ts';
import { findPublicFactory, publicFactories } from '../../../../src/protocol/publicFactories.ts';
import { deployAgreement } from '../../viem/deployAgreement.ts';
import { CliError } from '../cliError.ts';
import { type Context, collect } from '../context.ts';
import { drawDiagram } from '../diagram/drawDiagram.ts';
import { handOutLink } from '../handOutLink.ts';
import { openSigner, type SignerOptions } from '../openSigner.ts';
import { readCount } from '../readCount.ts';
import { readDocument, readPairs } from '../readDocument.ts';
import { type ChainChoice, readChain } from '../recordReference.ts';
import { sayWaiting } from '../sayWaiting.ts';
import { drawFacts } from '../table.ts';
import { paint, plain, plainLines } from '../terminal.ts';
import { writeExamples } from '../writeExamples.ts';

export function addAuthoringCommands(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('validate')
    .description('check a document: list every error and warning with its place')
    .argument('<document>', 'a JSON file, or - for the standard input')
    .addHelpText('after', writeExamples('validate mural.json'))
    .action(async (file: string) => {
      const agreement = await readDocument(terminal, file);
      const report = await context
        .client()
        .agreements.validateTemplate(agreement, { signal: terminal.stopped });
      const warnings = report.warnings.map(
        (warning) => `${paint(terminal, 'yellow', 'warning:')} ${plain(String(warning))}`,
      );
      const facts = drawFacts(terminal, [
        ['template', report.templateId ?? undefined],
        ['participants', report.participantVariableKeys.join(', ')],
        ['states', report.stateIds.join(', ')],
        ['inputs', report.inputIds.join(', ')],
      ]);
      context.answer({
        value: report,
        text: [paint(terminal, 'green', 'valid'), facts, ...warnings].join('\n'),
      });
    });

  addDeploy(program, context);

  program
    .command('diagram')
    .description('print the states of a document, or of a deployed agreement, as text for Mermaid or as SVG')
    .argument('<document>', "a JSON file, - for the standard input, or an agreement's id or address")
    .option('--chain <id>', 'the chain, if the address is known on several')
    .option('--svg', 'an SVG image instead of text for Mermaid')
    .addHelpText('after', writeExamples('diagram mural.json --svg > mural.svg', 'diagram agr_…'))
    .action(async (source: string, { svg, ...options }: ChainChoice & { svg?: true }) => {
      const as = svg ? 'svg' : 'mermaid';
      const diagram = await readDiagram(context, { source, as, ...readChain(options) });
      context.answer({ value: { diagram }, text: plainLines(diagram) });
    });
}

async function readDiagram(
  { terminal, client }: Context,
  { source, as, chainId }: { source: string; as: 'mermaid' | 'svg'; chainId: number | undefined },
): Promise<string> {
  if (!/^(agr_|0x[0-9a-fA-F]{40}$)/.test(source))
    return drawDiagram(await readDocument(terminal, source), { as });
  const record = await client().agreements.get(source, { signal: terminal.stopped, chainId });
  return drawDiagram(record.json, { current: record.state, as });
}

type DeployOptions = SignerOptions & {
  chain: string;
  name?: string;
  participant: readonly string[];
  value: readonly string[];
  observer: readonly string[];
  link?: string;
};

function addDeploy(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('deploy')
    .description(
      'sign a deployment, send it, and wait until the agreement is there; with --link, let its owner sign it in a browser',
    )
    .argument('<document>', 'a JSON file, or - for the standard input')
    .requiredOption('--chain <id>', 'the chain, such as 59141')
    .option('--name <text>', "the record's name; otherwise the document's")
    .option('--participant <variable=address>', "a participant's wallet; repeatable", collect, [])
    .option('--value <variable=value>', 'an initial value; repeatable', collect, [])
    .option('--observer <address>', 'an e-mail address to notify; repeatable', collect, [])
    .option('--keystore <file>', 'sign with this keystore instead of AGREEMENTS_PRIVATE_KEY')
    .option('--password-file <file>', "the keystore's password instead of AGREEMENTS_KEYSTORE_PASSWORD")
    .option(
      '--link <owner>',
      'make a link with which this wallet reads and signs the deployment in a browser',
    )
    .addHelpText(
      'after',
      writeExamples(
        "deploy mural.json --chain 59141 --participant artist=0x… --value wall='East wall'",
        'deploy mural.json --chain 59141 --keystore patron.json --password-file password.txt',
        'deploy mural.json --chain 59141 --link 0x…',
      ),
    )
    .action(async (file: string, options: DeployOptions) => {
      const chainId = readCount(options.chain, '--chain');
      const agreement = await readDocument(terminal, file);
      const wallets = readPairs(options.participant, '--participant');
      const deployment = {
        agreement,
        chainId,
        displayName: options.name ?? nameOf(agreement),
        initValues: readPairs(options.value, '--value'),
        participants: Object.entries(wallets).map(([variableKey, walletAddress]) => ({
          variableKey,
          walletAddress,
        })),
        observers: [...options.observer],
      };
      const signal = terminal.stopped;
      if (options.link !== undefined) {
        const client = context.client();
        const draft = await client.agreements.createDraft(
          { ...deployment, signer: options.link },
          { signal },
        );
        return handOutLink(context, { id: draft.id });
      }
      if (findPublicFactory(chainId) === undefined)
        throw new CliError(
          `This program knows no factory of chain ${chainId}: --chain takes ${Object.keys(publicFactories).join(', ')}.`,
        );
      const account = await openSigner(terminal, options);
      const deployed = deployAgreement({ client: context.client(), account, ...deployment, signal });
      const record = await sayWaiting(context, deployed);
      const { id, address, state } = record;
      const facts = drawFacts(terminal, [
        ['id', id],
        ['address', address],
        ['state', state],
      ]);
      context.answer({ value: record, text: `${paint(terminal, 'green', 'deployed')}\n${facts}` });
    });
}

function nameOf(agreement: Record<string, unknown>): string {
  const name = findTitle(agreement);
  if (name !== undefined) return name;
  throw new CliError('The document has no metadata.name: give a --name.');
}
