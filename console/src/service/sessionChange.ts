import { queries } from './queries.ts';

const channel = new BroadcastChannel('agreements-session');

/** Tells this browser's other tabs, which have the same cookie, that the session is another one or has ended. */
export function tellSessionChange(): void {
  channel.postMessage('changed');
}

/** Drops the data of the former session after a login or logout, here and in the other tabs. */
export function changeSession(): Promise<void> {
  tellSessionChange();
  return queries.resetQueries();
}

/** Drops the data of the former session if another tab has changed it, and asks who is logged in now. */
export function followSessionChange(): () => void {
  const start = () => void queries.resetQueries();
  channel.addEventListener('message', start);
  return () => channel.removeEventListener('message', start);
}
