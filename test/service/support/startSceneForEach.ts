import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createScene, type Scene } from '../projector/support/scene.ts';
import { createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';

/** Gives each test of a file an empty database, shared by the file, and a new scene to fold in it. */
export function startSceneForEach(
  take: (started: { fixture: Fixture; scene: Scene }) => void,
  options: Parameters<typeof createScene>[1] = {},
): void {
  let fixture: Fixture | undefined;
  beforeAll(async () => {
    fixture = await createFixture();
  });
  beforeEach(async () => {
    if (!fixture) throw new Error('the database was not made');
    await emptyDatabase(fixture);
    take({ fixture, scene: await createScene(fixture, options) });
  });
  afterAll(() => fixture?.close());
}
