import { type Hex, zeroHash } from 'viem';
import { AbiWriter } from './abiWriter.ts';
import { encodeUint } from './encodeValue.ts';
import { readBounds } from './fieldRules.ts';
import type { Field } from './fields.ts';
import { bytesToHex } from './hex.ts';
import type { Issuer } from './issuers.ts';
import { nameHash } from './names.ts';
import type { Condition } from './onChain.ts';
import * as Op from './op.ts';

/** The contract's checks of an input, in its order: each field's bounds, then the sender. */
export function compileConditions(fields: readonly Field[], issuer: Issuer): Condition[] {
  const bounds = fields.flatMap((field) =>
    readBounds(field).map(({ op, limit }) => ({
      op,
      fieldId: nameHash(field.name),
      bytesArg: encodeUint(limit),
    })),
  );
  return [...bounds, ...compileIssuer(issuer)];
}

function compileIssuer({ anyone, variables, literals }: Issuer): Condition[] {
  if (anyone) return [];
  const [only, ...others] = variables;
  if (only !== undefined && others.length === 0 && literals.length === 0) {
    return [{ op: Op.SENDER_EQ_VAR_ADDRESS, fieldId: nameHash(only), bytesArg: '0x' }];
  }
  return [
    {
      op: Op.SENDER_IN_ALLOWED_ADDRESSES,
      fieldId: zeroHash,
      bytesArg: encodeAllowed({ variables, literals }),
    },
  ];
}

/** ABI encoding of `(bytes32[] variable ids, address[] literals)`. */
function encodeAllowed({ variables, literals }: Pick<Issuer, 'variables' | 'literals'>): Hex {
  const writer = new AbiWriter();
  writer.struct((tail) => {
    tail(() => writer.staticArray(variables, (name) => writer.word(nameHash(name))));
    tail(() => writer.staticArray(literals, (literal) => writer.word(literal)));
  });
  return bytesToHex(writer.bytes);
}
