/** Whether the URL is on this machine: then the node is the operator's own, in development or a test. */
export function isLocalUrl(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}
