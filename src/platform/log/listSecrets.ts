/** Variables that hold nothing but secrets, comma-separated. The path of a secret's file is not a secret. */
const secretVariables =
  /^(?!.*_FILES?$)(RELAYER_PRIVATE_KEYS|ENCRYPTION_KEY|AWS_SESSION_TOKEN|.*(SECRET|PASSWORD))/;
/** Variables that hold URLs, in which a password, a path or a query may be the key to a service. */
const urlVariables = /^((DATABASE|DATABASE_READ|RPC|WS|SMTP)_URL|OTEL_EXPORTER_OTLP_(TRACES_)?ENDPOINT$)/;
/** Variables that hold names of headers with their values, percent-encoded. */
const headerVariables = /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/;

/** What of an environment must not be logged: private keys in each spelling, and the telling parts of URLs. */
export function listSecrets(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const items = (value ?? '').split(',').map((item) => item.trim());
    if (secretVariables.test(name)) return items.flatMap(keySpellings);
    if (headerVariables.test(name)) return items.flatMap(headerSecrets);
    return urlVariables.test(name) ? items.flatMap(urlSecrets) : [];
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
  // The path of a database is its name.
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
