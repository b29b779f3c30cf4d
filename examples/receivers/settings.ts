/** The environment variables of all receivers here. */
export const settings = {
  port: Number(process.env.PORT ?? 4000),
  /** The subscription's secret; during a rotation the old and the new one, comma-separated. */
  secrets: (process.env.WEBHOOK_SECRET ?? '').split(','),
  /** The file of stored events. */
  inbox: process.env.INBOX ?? 'inbox.jsonl',
};

/** More than any event needs. */
export const maxBodyBytes = 1_048_576;
