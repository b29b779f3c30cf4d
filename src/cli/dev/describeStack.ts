import { styleText } from 'node:util';
import type { DevDirectory } from './devDirectory.ts';
import type { DevStack } from './devStack.ts';

/** The information to get started: the address, the key, and a command to paste. */
export function describeStack(stack: DevStack, directory: DevDirectory): string {
  const { reads, writes } = stack.rateLimits;
  const { api, worker } = stack.internalUrls;
  const lines = [
    '',
    `  API      ${styleText('bold', stack.baseUrl)}`,
    ...(stack.consoleUrl
      ? [
          `  Console  ${styleText('bold', stack.consoleUrl)}`,
          '           (lets one browser in, within a day)',
        ]
      : []),
    `  Key      ${styleText('bold', stack.apiKey)}`,
    `  MCP      ${stack.baseUrl}/mcp`,
    `  Indexer  ${stack.indexerUrl}`,
    ...(stack.consoleUrl ? [`  Operate  ${api}/`] : []),
    `  Ready?   ${api}/ready and ${worker}/ready, metrics at …/metrics`,
    `  Logs     ${directory.logs}`,
    `  All of it, with chains and funded accounts: ${directory.stackFile}`,
    '',
    `  curl -s -H 'X-API-Key: ${stack.apiKey}' ${stack.baseUrl}/v0/agreements`,
    '',
    '  For agents (docs/agents.md):',
    `  claude mcp add --transport http agreements ${stack.baseUrl}/mcp --header 'Authorization: Bearer ${stack.apiKey}'`,
    '',
    '  Events count as confirmed in their own block here (1 confirmation on every chain).',
    `  A principal may read ${reads} times a second here and write ${writes} times, with bursts of more.`,
    `  Webhooks may go to public https hosts and, also by http, to ${stack.webhookTargets.join(', ')}.`,
    '  npm run demo plays agreements through on all chains. Ctrl-C stops everything and loses nothing.',
  ];
  return lines.join('\n');
}
