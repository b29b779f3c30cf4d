import { findSecretKind, type SecretKind } from './secretVariables.ts';

const secretsIn: Record<SecretKind, (item: string) => string[]> = {
  key: keySpellings,
  url: urlSecrets,
  headers: headerSecrets,
};

/**
 * The texts of an environment that must not be logged: private keys in each spelling, and the revealing parts
 * of URLs.
 */
export function listSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const kind = findSecretKind(name);
    if (kind === undefined) return [];
    const text = value ?? '';
    // A single password or URL may contain a comma.
    return [text, ...text.split(',')].flatMap((item) => secretsIn[kind](item.trim()));
  });
}

function keySpellings(key: string): string[] {
  const bare = key.replace(/^0x/, '');
  return [key, bare, bare.toLowerCase()];
}

/** The value, and the part of it after a scheme such as Bearer. */
function headerSecrets(item: string): string[] {
  const value = item.slice(item.indexOf('=') + 1).trim();
  const spellings = [value, decode(value)];
  return [...spellings, ...spellings.flatMap((text) => text.split(/\s|%20/).slice(1))];
}

function urlSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [text];
  const { password, pathname, search, protocol } = new URL(text);
  const telling = [password, search.slice(1)];
  // The path of a database URL is the database's name.
  if (!protocol.startsWith('postgres'))
    telling.push(pathname.slice(1), ...pathname.split('/').filter(isKeyLike));
  return [...telling, ...telling.map(decode)];
}

/** Long enough to be a key, and not a word of a path. */
function isKeyLike(segment: string): boolean {
  return segment.length >= 16;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
