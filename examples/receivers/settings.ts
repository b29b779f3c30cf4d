/** What all receivers here read from the environment. */
export const settings = {
  port: Number(process.env.PORT ?? 4000),
  /** The secret of the subscription; while it is rotated, the old and the new one with a comma between them. */
  secrets: (process.env.WEBHOOK_SECRET ?? '').split(','),
  /** Where events are stored. */
  inbox: process.env.INBOX ?? 'inbox.jsonl',
};

/** More than any event needs. */
export const maxBodyBytes = 1_048_576;
