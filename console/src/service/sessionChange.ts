import { queries } from './queries.ts';

/** A browser may have a session by key or link and another by wallet: a change of one says nothing about the other. */
type Kind = 'key' | 'wallet';

const channel = new BroadcastChannel('agreements-session');

/** Tells this browser's other tabs, which share its cookies, that a session was replaced or has ended. */
export function tellSessionChange(kind: Kind): void {
  channel.postMessage(kind);
}

/** Drops the data of the former session after a login or logout, here and in the other tabs. */
export function changeSession(kind: Kind): Promise<void> {
  tellSessionChange(kind);
  return queries.resetQueries();
}

/** Drops the data of the former session if another tab has changed it, and asks who is logged in now. */
export function followSessionChange(kind: Kind): () => void {
  const start = ({ data }: MessageEvent<unknown>) => {
    if (data === kind) void queries.resetQueries();
  };
  channel.addEventListener('message', start);
  return () => channel.removeEventListener('message', start);
}
