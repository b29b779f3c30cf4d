import { describe, expect, test } from 'vitest';
import { readForks } from '../../../src/cli/dev/forks.ts';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';

const read = (words: string[], env: NodeJS.ProcessEnv = {}) =>
  readForks(words, env).map(({ chain, url }) => [chain.chainId, url]);

function problemsOf(words: string[], env: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    readForks(words, env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

test('forks are named by chain and node, at the command line before the environment', () => {
  expect(read([])).toEqual([]);
  const words = ['59141=http://127.0.0.1:1/v3?key=a=b'];
  expect(
    read(words, { FORK_URL_59141: 'http://127.0.0.1:2', FORK_URL_84532: 'https://base.example' }),
  ).toEqual([
    [59141, 'http://127.0.0.1:1/v3?key=a=b'],
    [84532, 'https://base.example'],
  ]);
});

describe('chains that cannot be forked are reported, all at once and without the address', () => {
  test.each([
    ['no chain', ['http://127.0.0.1:1'], {}, /^--fork: write/],
    ['an unknown chain', ['1=http://secret.example'], {}, /^--fork 1: the protocol is not on that chain/],
    ['a chain twice', ['59141=http://a.example', '59141=http://b.example'], {}, /is there twice/],
    ['another protocol', ['59141=ws://secret.example'], {}, /not an http or https URL/],
    [
      'another protocol in the environment',
      [],
      { FORK_URL_59141: 'secret' },
      /^FORK_URL_59141: is not an http/,
    ],
    [
      'chains of two environments',
      ['59141=http://a.example', '8453=http://b.example'],
      {},
      /testnets and production chains do not go together/,
    ],
  ])('%s', (_, words, env, problem) => {
    const problems = problemsOf(words, env);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain('secret');
  });

  test('several mistakes', () => {
    expect(problemsOf(['x', '1=http://a.example'], { FORK_URL_8453: 'y' })).toHaveLength(3);
  });
});
