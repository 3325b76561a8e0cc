/**
 * Tests installations in the shapes of well-known projects' releases with both kubectls: applied on the client and on the
 * server, applied again, handed over from one to the other, looked at, changed and deleted.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changes, everything, everythingAtRest } from './everything.ts';
import { INSTALLATIONS } from './installations/all.ts';
import { definitionsOf, documents, type Installation } from './installations/manifest.ts';
import { CompatServer, type Kubectl, NEWEST, OLDEST } from './server.ts';

/**
 * Kinds for which kubectl itself finds something to change at each apply on the client, as it does with a real server; the server
 * then finds that nothing is.
 */
const ASKED_ANYWAY: Readonly<Record<string, string>> = {
  customresourcedefinition: 'metadata.creationTimestamp: null is taken for a change',
  poddisruptionbudget: 'selectors are replaced as a whole, compared or not',
  networkpolicy: 'a port without its default protocol, within a list that is compared as a whole',
  priorityclass: 'globalDefault: false is not stored',
  limitrange: 'defaults within a list that is compared as a whole',
  deployment: 'the template has an empty value and a creationTimestamp that are not stored',
  daemonset: 'the same',
  statefulset: 'the same',
  job: 'the same',
  cronjob: 'the same',
};

/**
 * Fields that kubectl cannot take over from its own client-side apply without force, on a real server neither: atomic ones that
 * the server has added defaults to differ from what was applied.
 */
const NOT_HANDED_OVER = [
  /^\.spec\.(?:jobTemplate\.spec\.)?template\.spec\.containers\[name="[^"]+"\]\.env\[name="[^"]+"\]\.valueFrom\.(?:fieldRef|resourceFieldRef)$/,
  /^\.spec\.volumeClaimTemplates$/,
  /^\.spec\.(?:ingress|egress|limits|metrics|behavior)\b/,
];

const server = new CompatServer();
const [newest, oldest] = [server.kubectl(NEWEST), server.kubectl(OLDEST)];
beforeAll(() => server.start());
afterAll(() => server.remove());

interface Files {
  readonly objects: string;
  readonly custom: string;
}

function write({ name, objects, custom }: Installation): Files {
  return {
    objects: server.file(`${name}.yaml`, documents(objects)),
    custom: server.file(`${name}-custom.yaml`, documents(custom)),
  };
}

const lines = (text: string): readonly string[] => text.split('\n').filter(Boolean);
/** "deployment.apps/web configured" → "deployment". */
const kindOf = (line: string): string => line.split(/[./]/)[0] ?? '';

/** Applies the release, waits for its definitions, applies their objects, as the release's page says. */
async function install(kubectl: Kubectl, { custom, objects }: Installation, files: Files, ...flags: string[]) {
  const said = [await kubectl('apply', ...flags, '-f', files.objects)];
  const names = definitionsOf(objects).map(({ metadata }) => `crd/${metadata.name}`);
  if (names.length > 0) await kubectl('wait', '--for=condition=Established', '--timeout=60s', ...names);
  if (custom.length > 0) said.push(await kubectl('apply', ...flags, '-f', files.custom));
  return said.flatMap(lines);
}

async function remove(kubectl: Kubectl, { custom }: Installation, files: Files): Promise<void> {
  if (custom.length > 0) await kubectl('delete', '--ignore-not-found', '--timeout=300s', '-f', files.custom);
  await kubectl('delete', '--ignore-not-found', '--timeout=300s', '-f', files.objects);
}

/** Expects that nothing is left which was not there `before`, once garbage collection has done its work. */
async function expectNothingLeft(before: ReadonlyMap<string, string>): Promise<void> {
  const names = async (): Promise<readonly string[]> =>
    [...(await everything(server)).keys()].filter((key) => !before.has(key));
  await expect.poll(names).toEqual([]);
}

const onClient = INSTALLATIONS.filter(({ isServerSideOnly }) => isServerSideOnly !== true);

describe.each([newest, oldest])('kubectl $version', (kubectl) => {
  it.each(onClient.map((each) => [each.name, each] as const))('applies %s on the client', async (_, installation) => {
    const files = write(installation);
    const before = await everything(server);
    const count = installation.objects.length + installation.custom.length;
    const created = await install(kubectl, installation, files);
    expect(created.filter((line) => !line.endsWith(' created'))).toEqual([]);
    expect(created).toHaveLength(count);

    const atRest = await everythingAtRest(server);
    const again = await install(kubectl, installation, files);
    const asked = again.filter((line) => !line.endsWith(' unchanged'));
    expect(asked.filter((line) => ASKED_ANYWAY[kindOf(line)] === undefined)).toEqual([]);
    expect(again).toHaveLength(count);
    expect(changes(atRest, await everything(server))).toEqual([]);

    const difference = await kubectl.ask(['diff', '-f', files.objects]);
    expect([difference.stdout, difference.code]).toEqual(['', 0]);
    await remove(kubectl, installation, files);
    await expectNothingLeft(before);
  });

  it.each(INSTALLATIONS.map((each) => [each.name, each] as const))(
    'applies %s on the server',
    async (_, installation) => {
      const files = write(installation);
      const before = await everything(server);
      const said = await install(kubectl, installation, files, '--server-side');
      expect(said.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([]);

      const atRest = await everythingAtRest(server);
      await install(kubectl, installation, files, '--server-side');
      expect(changes(atRest, await everything(server))).toEqual([]);
      if (kubectl === newest) {
        const difference = await kubectl.ask(['diff', '--server-side', '-f', files.objects]);
        expect([difference.stdout, difference.code]).toEqual(['', 0]);
      }
      await remove(kubectl, installation, files);
      await expectNothingLeft(before);
    },
  );
});

const tooLong = INSTALLATIONS.filter(({ isServerSideOnly }) => isServerSideOnly).slice(0, 1);

it.each(tooLong.map((each) => [each.name, each] as const))(
  'says that %s does not fit an apply on the client',
  async (_, installation) => {
    const files = write(installation);
    const before = await everything(server);
    const { code, stderr } = await newest.ask(['apply', '-f', files.objects]);
    expect(code).toBe(1);
    expect(stderr).toContain('is invalid: metadata.annotations: Too long: may not be more than 262144 bytes');
    await newest('delete', '--ignore-not-found', '--timeout=300s', '-f', files.objects);
    await expectNothingLeft(before);
  },
);

it.each(onClient.map((each) => [each.name, each] as const))(
  '%s goes over from the client to the server',
  async (_, installation) => {
    const files = write(installation);
    const before = await everything(server);
    await install(newest, installation, files);
    const refused = await newest.ask(['apply', '--server-side', '-f', files.objects]);
    const fields = [...refused.stderr.matchAll(/(?:^- |conflict with "[^"]+" using \S+: )(\S+)$/gm)].map(
      ([, field]) => field ?? '',
    );
    expect(fields.filter((field) => !NOT_HANDED_OVER.some((pattern) => pattern.test(field)))).toEqual([]);
    await install(newest, installation, files, '--server-side', '--force-conflicts');
    const atRest = await everythingAtRest(server);
    await install(newest, installation, files, '--server-side');
    expect(changes(atRest, await everything(server))).toEqual([]);

    const shown = await newest('get', '-f', files.objects, '-o', 'json', '--show-managed-fields');
    const { items } = JSON.parse(shown) as {
      items: { kind: string; metadata: { managedFields: { manager: string }[] } }[];
    };
    const left = items.filter(({ metadata }) =>
      metadata.managedFields.some(({ manager }) => manager === 'kubectl-client-side-apply'),
    );
    expect(left.map(({ kind }) => kind)).toEqual([]);
    await remove(newest, installation, files);
    await expectNothingLeft(before);
  },
);
