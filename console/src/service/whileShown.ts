/**
 * Hands over a signal that ends once the page is hidden, or with the given one. While the page is hidden it waits first.
 *
 * A browser opens six connections to a server without HTTP/2, over all tabs. If hidden tabs kept their streams, no
 * further tab could load.
 */
export async function whileShown(signal: AbortSignal, act: (shown: AbortSignal) => Promise<void>) {
  while (document.hidden && !signal.aborted) await nextChange(signal);
  const end = new AbortController();
  const endIfHidden = () => document.hidden && end.abort();
  document.addEventListener('visibilitychange', endIfHidden);
  try {
    await act(AbortSignal.any([signal, end.signal]));
  } finally {
    document.removeEventListener('visibilitychange', endIfHidden);
  }
}

/** Resolves once the page is shown or hidden, or the signal ends. */
function nextChange(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      document.removeEventListener('visibilitychange', stop);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    document.addEventListener('visibilitychange', stop);
    signal.addEventListener('abort', stop);
  });
}
