import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startTestDeliverer } from '../support/startTestDeliverer.ts';
import { askRoute, listRoutes, type Route } from './support/askRoute.ts';
import { type CallerScene, startCallerScene } from './support/callerScene.ts';
import type { Caller } from './support/listCallers.ts';
import {
  byScope,
  forEveryPrincipal,
  forReadingGuests,
  forSigningGuests,
  forWholeSessions,
} from './support/openRoutes.ts';

/**
 * Some tests send thousands of requests one after the other. On a busy machine each may take a tenth of a
 * second.
 */
vi.setConfig({ testTimeout: 180_000 });

const closed = [401, 403, 404];

let scene: CallerScene;
let routes: Route[];
let callers: Caller[];
beforeAll(async () => {
  scene = await startCallerScene();
  routes = await listRoutes(scene.service.baseUrl, scene.references);
  callers = await scene.listCallers();
});
afterAll(() => scene?.close());

/** Attempts deliveries until the test ends: the test of a webhook waits seconds for an attempt. */
async function deliverMeanwhile(): Promise<void> {
  const settings = { WEBHOOK_TIMEOUT_MS: '1', WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8' };
  const deliverer = await startTestDeliverer(scene.service, settings);
  onTestFinished(() => deliverer.close());
}

/** Puts the guest's own wallet in place of the example's signer: a guest is only let in as its own wallet. */
function signAs(route: Route, signer: string | undefined): Route {
  if (signer === undefined || !route.body?.includes('"signer"')) return route;
  return { ...route, body: JSON.stringify({ ...JSON.parse(route.body), signer }) };
}

/** Names no agreement beside a signing link, which names its own: with another it is refused everywhere. */
function nameAs(route: Route, { headers }: Caller): Route {
  if (!('x-agreements-link' in headers)) return route;
  return { ...route, target: route.target.replace(/\?agreementId=\w+$/, '') };
}

/**
 * Lists the faults in a caller's answers: a closed route that lets it in, an open route that refuses it, or
 * data that it must not see.
 */
async function listFaults(caller: Caller, asked: readonly Route[]): Promise<string[]> {
  const faults: string[] = [];
  for (const route of asked.map((each) => signAs(nameAs(each, caller), caller.wallet))) {
    const { operationId, target, body = '', isById } = route;
    const { status, told } = await askRoute(scene.service.baseUrl, route, caller.headers);
    const isOpen = caller.may.includes(operationId) && (caller.isOwner || !isById);
    const isIn = !closed.includes(status);
    const mayMiss = status === 404 && !isById && caller.sees === 'nothing';
    if (status >= 500 && status !== 503) faults.push(`${operationId} fails with ${status}`);
    if (isIn !== isOpen && !(isOpen && mayMiss)) faults.push(`${operationId} is answered with ${status}`);
    const said = `${target} ${body} ${JSON.stringify(caller.headers)}`;
    const hidden = isOpen ? scene.canaries[caller.sees] : scene.canaries.nothing;
    for (const canary of hidden)
      if (told.includes(canary) && !said.includes(canary)) faults.push(`${operationId} tells of ${canary}`);
  }
  return faults;
}

describe('every route of the document', () => {
  test('is closed to everybody whom it is not for, and tells them nothing of others', async () => {
    const before = await scene.readStored();
    const found: Record<string, string[]> = {};
    for (const caller of callers.filter(({ isOwner }) => !isOwner)) {
      const faults = await listFaults(caller, routes);
      if (faults.length > 0) found[caller.name] = faults;
    }
    expect(found).toEqual({});
    expect(await scene.readStored()).toEqual(before);
  });

  test('about one agreement is open to the wallets that it lets in, and no other', async () => {
    const shared = await listRoutes(scene.service.baseUrl, scene.sharedReferences);
    const asked = shared.filter(({ target }) => target.startsWith('/v0/shared/'));
    expect(asked.length).toBeGreaterThanOrEqual(forReadingGuests.length + forSigningGuests.length);
    const wallets = (await scene.listCallers()).filter(({ name }) => name.startsWith('the wallet of'));
    const found = [];
    for (const caller of wallets) {
      const isIn = caller.sees === 'one agreement';
      const may = isIn ? [...caller.may, ...forReadingGuests, ...forSigningGuests] : caller.may;
      found.push(...(await listFaults({ ...caller, may }, asked)));
    }
    expect(found).toEqual([]);
  });

  test('is open to narrowed sessions only where they are good for it', async () => {
    await deliverMeanwhile();
    const found: Record<string, string[]> = {};
    // Leaves out the DELETE routes that the caller may use: a row that one caller removes is missing for the
    // next.
    const lasting = routes.filter(({ method }) => method !== 'DELETE');
    for (const caller of callers.filter(({ isOwner }) => isOwner)) {
      const others = routes.filter(
        ({ method, operationId }) => method === 'DELETE' && !caller.may.includes(operationId),
      );
      const faults = await listFaults(caller, [...lasting, ...others]);
      if (faults.length > 0) found[caller.name] = faults;
    }
    expect(found).toEqual({});
  });

  test('is open to the key of its principal, so that what is closed is there', async () => {
    await deliverMeanwhile();
    const { owner, service } = scene;
    const may = [...Object.values(byScope).flat(), ...forEveryPrincipal, ...forWholeSessions];
    const found = [];
    for (const route of routes.filter(({ operationId }) => may.includes(operationId))) {
      const { status } = await askRoute(service.baseUrl, route, { 'x-api-key': owner.key });
      if (route.isById && closed.includes(status)) found.push(`${route.operationId} → ${status}`);
    }
    expect(found).toEqual([]);
  });

  test('finds nothing under a text that can be no id, and fails for none', async () => {
    const { owner, service, references } = scene;
    const owners = (await scene.listCallers()).filter(({ isOwner, sees }) => isOwner || sees !== 'nothing');
    const everybody = [{ 'x-api-key': owner.key }, ...owners.map(({ headers }) => headers)];
    const texts = [
      '%00',
      'agr_%00',
      '%ED%A0%80',
      '%',
      "'",
      '%F0%9F%92%A9',
      '%E2%80%AE',
      '1e9',
      'x'.repeat(5_000),
    ];
    const found = [];
    for (const text of texts) {
      const paths = Object.fromEntries(Object.keys(references.paths).map((before) => [before, text]));
      const asked = await listRoutes(service.baseUrl, { ...references, paths });
      for (const route of asked.filter(({ isById }) => isById))
        for (const headers of everybody) {
          const { status } = await askRoute(service.baseUrl, route, headers);
          if (status < 400 || status >= 500)
            found.push(`${route.operationId} of ${text.slice(0, 9)} → ${status}`);
        }
    }
    expect(found).toEqual([]);
  });
});
