/** Tests that releases in the shapes of well-known projects go in by server-side apply, and that a second time nothing is written. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INSTALLATIONS } from '../../../test/compat/installations/all.ts';
import { definitionsOf, type Manifest } from '../../../test/compat/installations/manifest.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, startTestServer, type TestServer } from '../test-server.ts';

/** Longer ones take seconds, and are applied by `npm run compat`. */
const MAX_BYTES = 200_000;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterAll(() => api.close());

/** Applies at the path that discovery gives for the kind. */
async function apply(object: Manifest): Promise<Answer> {
  const { apiVersion, kind, metadata } = object;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await api.call('GET', root);
  const resources = body.resources as readonly { readonly name: string; readonly kind: string }[];
  const name = resources.find((each) => each.kind === kind && !each.name.includes('/'))?.name;
  const space = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return await api.call(
    'PATCH',
    `${root}${space}/${name}/${metadata.name}?fieldManager=compat&fieldValidation=Strict`,
    object,
    APPLY,
  );
}

const small = INSTALLATIONS.filter((each) => JSON.stringify(each).length < MAX_BYTES);

it.each(small.map((each) => [each.name, each] as const))('%s', async (_, { objects, custom }) => {
  const definitions = definitionsOf(objects);
  const rest = objects.filter((each) => !definitions.includes(each));
  const all = [...definitions, ...rest, ...custom];
  for (const object of all) expect((await apply(object)).body).toMatchObject({ kind: object.kind });
  const versions = async (): Promise<readonly string[]> => {
    const answers: string[] = [];
    for (const object of all) answers.push((await apply(object)).body.metadata.resourceVersion as string);
    return answers;
  };
  expect(await versions()).toEqual(await versions());
});
