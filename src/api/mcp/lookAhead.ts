import { isKnownType } from '../../protocol/fieldType.ts';
import { acceptedInputs, type WireValues } from '../../protocol/index.ts';
import { listInputIds } from '../../protocol/inputDefinitions.ts';
import { isJsonObject, JsonCursor } from '../../protocol/jsonCursor.ts';
import { readTransitions } from '../../protocol/transitions.ts';
import { resolveIssuers } from '../agreements/acceptedInputs.ts';
import { quoteName, quoteNames } from './quotedData.ts';

/** One input that a state takes: who may send it, where it leads, and what can follow. */
export type NextInput = {
  inputId: string;
  /** Variables whose wallets may send it. */
  by: string[];
  wallets: string[];
  anyone: boolean;
  leadsTo: string;
  quotedLeadsTo?: string | undefined;
  /** Inputs that are possible after it, at most 32; empty if it ends the agreement. */
  followedBy: string[];
  fields: {
    name: string;
    type: string;
    required: boolean;
    quotedValidation?: Record<string, unknown> | undefined;
  }[];
};

/** The possible inputs in a document's state, by its transitions, with the wallets that its variables hold. */
export function lookAhead(
  agreement: unknown,
  { state, values }: { state: string; values: WireValues },
): NextInput[] {
  const findFollowers = indexFollowers(agreement);
  return acceptedInputs(agreement, state).map(({ inputId, toState, issuer, fields }) => ({
    inputId,
    by: [...issuer.variables],
    wallets: resolveIssuers(issuer, values),
    anyone: issuer.anyone,
    leadsTo: toState,
    quotedLeadsTo: describeState(agreement, toState),
    followedBy: findFollowers(toState),
    fields: fields.map(({ name, type, required, validation }) => ({
      name,
      // Any other text is treated as this type.
      type: isKnownType(type) ? type : 'string',
      required,
      ...(isJsonObject(validation) && { quotedValidation: validation }),
    })),
  }));
}

/** All inputs of a state can lead to one that takes as many, and each of them would list them all. */
const mostFollowers = 32;

/** What each state takes, read once for all states: the inputs in the order of their first transitions. */
function indexFollowers(agreement: unknown): (state: string) => string[] {
  const root = new JsonCursor(agreement);
  const declared = new Set(listInputIds(root));
  const followers = new Map<string, Set<string>>();
  for (const { from, input } of readTransitions(root)) {
    const known = followers.get(from) ?? new Set();
    if (declared.has(input) && known.size < mostFollowers) followers.set(from, known.add(input));
  }
  return (state) => [...(followers.get(state) ?? [])];
}

export function describeState(agreement: unknown, state: string): string | undefined {
  const described = new JsonCursor(agreement).at('execution').at('states').at(state).at('description').value;
  return typeof described === 'string' ? described : undefined;
}

const mostSentences = 8;

/** The next inputs as sentences. */
export function tellNext(next: readonly NextInput[]): string {
  if (next.length === 0) return 'No input leads on from this state: it is final.';
  const sentences = next
    .slice(0, mostSentences)
    .map(({ inputId, by, wallets, anyone, leadsTo, followedBy }) => {
      const senders = anyone
        ? 'Anyone'
        : by.length > 0
          ? `${by.length === 1 ? 'The wallet' : 'Each of the wallets'} of ${quoteNames(by, 4)}`
          : `The wallet ${wallets[0] ?? '(not known)'}`;
      const end =
        followedBy.length === 0 ? ', which is final' : `, where ${tellFollowers(followedBy)} can follow`;
      return `${senders} may send ${quoteName(inputId)}: it leads to ${quoteName(leadsTo)}${end}.`;
    });
  const more = next.length - sentences.length;
  return more > 0 ? `${sentences.join(' ')} And ${more} more inputs.` : sentences.join(' ');
}

function tellFollowers(names: readonly string[]): string {
  if (names.length < mostFollowers) return quoteNames(names, 4);
  return `${quoteNames(names.slice(0, 4))} and many more`;
}
