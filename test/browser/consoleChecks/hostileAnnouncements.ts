/**
 * Runs in a page: announces all kinds of hostile and broken wallets (EIP-6963), and more of them than anybody
 * has.
 */
export const announceHostileWallets = `(() => {
  const provider = { request: async () => { throw new Error('asked a hostile wallet'); } };
  const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"/>';
  let count = 0;
  const info = (changes) => ({ uuid: 'hostile-' + count++, name: 'Wallet', icon, rdns: 'evil.example', ...changes });
  const broken = { get name() { throw new Error('no name'); }, uuid: 'broken', rdns: 'x' };
  const details = [
    { info: info({ name: 'Test wallet' }), provider },
    { info: info({ name: '<img src=x onerror=window.hit=1>' }), provider },
    { info: info({ name: 'x'.repeat(1000000) }), provider },
    { info: info({ name: '\\u202ekcab eht morf\\u2066 \\u200b\\u0000\\n\\n\\nwallet' }), provider },
    { info: info({ name: 'Script icon', icon: 'javascript:window.hit=1' }), provider },
    { info: info({ name: 'Remote icon', icon: 'https://evil.example/icon.png' }), provider },
    { info: info({ name: { toString: () => 'an object' } }), provider },
    { info: info({ name: '\\u200b', rdns: '\\u202e' }), provider },
    { info: broken, provider },
    { info: info({ name: 'No provider' }) },
    { info: info({ name: 'No request' }), provider: { request: 1 } },
    { provider },
    null,
    undefined,
    'wallet',
    ...Array.from({ length: 1000 }, (_, at) => ({ info: info({ name: 'Wallet ' + at, rdns: 'w' + at + '.example' }), provider })),
  ];
  addEventListener('eip6963:requestProvider', () => {
    for (const detail of details) dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  });
})()`;
