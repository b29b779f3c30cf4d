import pino, { type DestinationStream, type Logger } from 'pino';
import { createRedactor } from './redactor.ts';

export type LoggerOptions = {
  level: string;
  /** Names the process in every line. */
  name: string;
  /** Texts that must never appear in a log, wherever they come from; see `listSecrets`. */
  secrets?: readonly string[];
  /** Standard output by default. */
  destination?: DestinationStream;
};

/** A line is written at once. Only with a length of at least one does pino's `flush` wait for lines under way. */
const minLength = 1;
/** Bytes that wait for a slow reader; lines beyond that are lost, so that the process is not. */
const maxLength = 16 * 1024 * 1024;

/**
 * A logger that writes one JSON object per line, without waiting for who reads them. It loses lines only while 16 MiB
 * wait. Secrets are removed from every finished line, also inside other texts.
 */
export function createLogger({ level, name, secrets = [], destination }: LoggerOptions): Logger {
  const options = {
    level,
    name,
    serializers: { err: pino.stdSerializers.errWithCause },
    hooks: { streamWrite: createRedactor(secrets) },
  };
  return pino(options, destination ?? pino.destination({ dest: 1, sync: false, minLength, maxLength }));
}
