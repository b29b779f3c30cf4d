import type { Address } from 'viem';
import type { JsonCursor } from './jsonCursor.ts';
import { quote } from './quote.ts';
import { findVariableReference } from './references.ts';
import { parseAddress } from './values.ts';
import { findVariable } from './variables.ts';

/** Who may submit an input: anyone, or the addresses held by these variables and these literal addresses. */
export type Issuer = {
  readonly anyone: boolean;
  /** Names of address variables, in the order in which the contract tries them; before the literals. */
  readonly variables: readonly string[];
  readonly literals: readonly Address[];
};

const anyone: Issuer = { anyone: true, variables: [], literals: [] };

/**
 * Reads an input's issuer. Absent, null or empty text: anyone may submit. Otherwise: a reference to an
 * address variable or a literal address as text, a list of these, or `{type: "participant", variable}`.
 * Everything else is refused.
 */
export function readIssuer(agreement: JsonCursor, issuer: JsonCursor): Issuer {
  if (issuer.isAbsent || issuer.value === '') return anyone;
  if (Array.isArray(issuer.value)) return readList(agreement, issuer);
  if (typeof issuer.value === 'string') return combine([readText(agreement, issuer)]);
  return combine([readParticipant(agreement, issuer)]);
}

type Member = { readonly variable: string } | { readonly literal: Address } | undefined;

function readList(agreement: JsonCursor, issuer: JsonCursor): Issuer {
  const items = issuer.items();
  if (items.length === 0) issuer.refuse('must name somebody: an empty list allows nobody');
  return combine(items.map((item) => readText(agreement, item)));
}

function readText(agreement: JsonCursor, item: JsonCursor): Member {
  const text = item.text();
  if (text === undefined) return undefined;
  const name = findVariableReference(text);
  if (name !== undefined) return readVariable({ agreement, name, place: item });
  const literal = parseAddress(text);
  if (literal === undefined) item.refuse('must be a reference to an address variable or an address');
  return literal && { literal };
}

function readParticipant(agreement: JsonCursor, issuer: JsonCursor): Member {
  if (issuer.member('type').value !== 'participant') {
    issuer.refuse('must be text, a list of texts or {type: "participant", variable}');
    return undefined;
  }
  const place = issuer.at('variable');
  const name = place.text();
  return name === undefined ? undefined : readVariable({ agreement, name, place });
}

function readVariable({
  agreement,
  name,
  place,
}: {
  agreement: JsonCursor;
  name: string;
  place: JsonCursor;
}): Member {
  const variable = findVariable(agreement, name);
  if (variable?.declaredType === 'address') return { variable: name };
  place.refuse(`names ${quote(name)}, which is not a declared variable of type address`);
  return undefined;
}

function combine(members: readonly Member[]): Issuer {
  return {
    anyone: false,
    variables: members.flatMap((member) => (member && 'variable' in member ? [member.variable] : [])),
    literals: members.flatMap((member) => (member && 'literal' in member ? [member.literal] : [])),
  };
}
