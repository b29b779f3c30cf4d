import { isObject, member } from '../agreements/member.ts';

const reference = /\$\{variables\.(\w+)/;

/**
 * The variables whose wallets may send an input of an undeployed document; undefined if anyone may. Only a
 * suggestion for a form: the service decides.
 */
export function listSenders(json: unknown, inputId: string): ReadonlySet<string> | undefined {
  const issuer = member(json, 'execution', 'inputs', inputId, 'issuer');
  const named = Array.isArray(issuer) ? issuer : [issuer];
  if (named.every((each) => each === undefined || each === null || each === '')) return undefined;
  return new Set(
    named.flatMap((each: unknown) => {
      const variable = isObject(each) ? each.variable : undefined;
      const [, name] = (typeof each === 'string' && reference.exec(each)) || [];
      return [variable, name].filter((found) => typeof found === 'string');
    }),
  );
}
