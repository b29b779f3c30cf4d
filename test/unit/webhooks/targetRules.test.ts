import { expect, test } from 'vitest';
import { checkTarget } from '../../../src/records/webhooks/checkTarget.ts';
import { createTargetRules } from '../../../src/records/webhooks/targetRules.ts';

const names: Record<string, string[]> = {
  'hooks.example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'hooks.example.com.': ['93.184.215.14'],
  'inside.example.com': ['10.0.0.5'],
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example.com': ['93.184.215.14', 'fd00::1'],
  'translated.example.com': ['64:ff9b::7f00:1'],
  'mapped.example.com': ['::ffff:169.254.169.254'],
  'xn--mnchen-3ya.example': ['93.184.215.14'],
  localhost: ['93.184.215.14'],
  'localhost.': ['127.0.0.1'],
  'dev.local': ['93.184.215.14'],
  'metadata.google.internal': ['93.184.215.14'],
  'host.docker': ['172.17.0.1'],
  'empty.example.com': [],
};

async function resolveHost(hostname: string): Promise<string[]> {
  const found = names[hostname];
  if (!found) throw new Error('ENOTFOUND');
  return found;
}

const strict = createTargetRules({ allowed: [], resolveHost });

async function findRefused(urls: readonly string[]): Promise<string[]> {
  const problems = await Promise.all(urls.map(async (url) => [url, await checkTarget(url, strict)] as const));
  return problems.filter(([, problem]) => problem !== undefined).map(([url]) => url);
}

test('public https hosts may be called, on the usual port and on free ones, also by a Unicode name', async () => {
  expect(
    await findRefused([
      'https://hooks.example.com/in?token=1#part',
      'https://hooks.example.com./in',
      'https://HOOKS.example.com:8443/',
      'https://hooks.example.com:1024/',
      'https://hooks.example.com:443/',
      'https://münchen.example/',
      'https://8.8.8.8/',
      'https://[2606:4700:4700::1111]/',
    ]),
  ).toEqual([]);
});

const refused: Record<string, string[]> = {
  'no https': ['http://hooks.example.com/', 'http://8.8.8.8/'],
  'another protocol, or none': [
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'gopher://hooks.example.com/',
    'javascript:alert(1)',
    'data:text/plain,1',
    'hooks.example.com',
    '//hooks.example.com',
    '',
    'https://',
  ],
  credentials: [
    'https://user@hooks.example.com/',
    'https://user:pass@hooks.example.com/',
    'https://:p@8.8.8.8/',
  ],
  'ports of services': [
    'https://hooks.example.com:22/',
    'https://hooks.example.com:25/',
    'https://hooks.example.com:80/',
    'https://8.8.8.8:53/',
    'https://hooks.example.com:1023/',
    'https://hooks.example.com:0/',
    'https://hooks.example.com:65536/',
  ],
  'this machine by its name': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://localhost../',
    'https://app.localhost/',
    'https://app.localhost.:8443/',
    'https://dev.local/',
    'https://metadata.google.internal/',
  ],
  'this machine in other spellings': [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1%25eth0]/',
    'https://[::]/',
  ],
  'private and special addresses': [
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://192.168.1.1:8443/',
    'https://100.100.100.200/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
  ],
  'names with any address that is not public': [
    'https://inside.example.com/',
    'https://mixed.example.com/',
    'https://mixed6.example.com/',
    'https://translated.example.com/',
    'https://mapped.example.com/',
  ],
  'names without an address': ['https://unknown.example.com/', 'https://empty.example.com/'],
};

for (const [what, urls] of Object.entries(refused))
  test(`a target is refused: ${what}`, async () => {
    expect(await findRefused(urls)).toEqual(urls);
  });

test('the reason is safe to show to the caller, and names no address', async () => {
  const reasons = await Promise.all(
    [
      'ftp://hooks.example.com/',
      'https://user@hooks.example.com/',
      'http://hooks.example.com/',
      'https://hooks.example.com:22/',
      'https://inside.example.com/',
      'https://unknown.example.com/',
    ].map((url) => checkTarget(url, strict)),
  );
  expect(reasons).toEqual([
    'must be an http or https URL',
    'must not contain credentials',
    'must be an https URL',
    'must have port 443 or one from 1024',
    'must have a host with public addresses only',
    'must have a host that can be resolved',
  ]);
});

test('allowed names and ranges need neither https nor a public address; others still do', async () => {
  const rules = createTargetRules({
    allowed: ['localhost', '10.0.0.0/8', 'host.docker', '::1'],
    resolveHost,
  });
  const allowed = [
    'http://localhost:4000/',
    'http://LOCALHOST.:80/',
    'http://10.1.2.3:25/',
    'http://inside.example.com:9000/',
    'http://host.docker/',
    'http://[::1]:3000/',
    'https://hooks.example.com/',
  ];
  for (const url of allowed) expect([url, await checkTarget(url, rules)]).toEqual([url, undefined]);
  const others = [
    'http://hooks.example.com/',
    'https://hooks.example.com:25/',
    'https://app.localhost/',
    'http://127.0.0.1/',
    'https://172.17.0.1/',
    'https://mixed.example.com/',
    'http://user@localhost/',
  ];
  for (const url of others) expect([url, await checkTarget(url, rules)]).not.toEqual([url, undefined]);
});
