/**
 * The kind of secret in a variable. `key`: only secrets, comma-separated. `url`: URLs whose password, path or
 * query may be the key to a service. `headers`: names of headers with their values, percent-encoded.
 */
export type SecretKind = 'key' | 'url' | 'headers';

/** The variables that hold secrets. The service's own may be given as files. */
const variables: readonly { name: RegExp; kind: SecretKind; isOwn: boolean }[] = [
  { name: /^ENCRYPTION_KEY$/, kind: 'key', isOwn: true },
  { name: /^RELAYER_PRIVATE_KEYS(_\d+)?$/, kind: 'key', isOwn: true },
  { name: /^(DATABASE|DATABASE_READ|SMTP)_URL$/, kind: 'url', isOwn: true },
  { name: /^(RPC|WS)_URL_\d+$/, kind: 'url', isOwn: true },
  { name: /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/, kind: 'headers', isOwn: true },
  { name: /^OTEL_EXPORTER_OTLP_(TRACES_)?ENDPOINT$/, kind: 'url', isOwn: false },
  { name: /^AWS_SESSION_TOKEN$/, kind: 'key', isOwn: false },
  // Variables of any program on the machine. The path of a secret's file is not a secret.
  { name: /^(?!.*_FILES?$).*(SECRET|PASSWORD)/, kind: 'key', isOwn: false },
];

/** The kind of secret in a variable; undefined if it holds none. */
export function findSecretKind(name: string): SecretKind | undefined {
  return variables.find((variable) => variable.name.test(name))?.kind;
}

/** Whether the file in `<name>_FILE` may give the variable's value. */
export function mayBeFile(name: string): boolean {
  return variables.some((variable) => variable.isOwn && variable.name.test(name));
}
