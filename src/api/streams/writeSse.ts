/**
 * One block of a stream of server-sent events. Data is one line, like JSON; a block without data is a
 * comment, which keeps the connection open.
 */
export function writeSse({ id, event, data }: { id?: string; event?: string; data?: string }): string {
  const lines = [
    id === undefined ? undefined : `id: ${id}`,
    event === undefined ? undefined : `event: ${event}`,
    data === undefined ? undefined : `data: ${data}`,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? ': heartbeat\n\n' : `${lines.join('\n')}\n\n`;
}
