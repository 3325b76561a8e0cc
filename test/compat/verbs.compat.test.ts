/**
 * Tests what people do with what an installation brought, with both kubectls: look at it in each form, change it in each way, wait for
 * it, prune what is left over, and clean up.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump } from 'js-yaml';
import { INSTALLATIONS } from './installations/all.ts';
import { definitionsOf, documents } from './installations/manifest.ts';
import { CompatServer, NEWEST, OLDEST } from './server.ts';

const server = new CompatServer();
beforeAll(() => server.start());
afterAll(() => server.remove());

const newest = server.kubectl(NEWEST);
const found = (name: string) => INSTALLATIONS.find((each) => each.name === name)!;
const names = found('names');
const application = found('application');

describe.each([NEWEST, OLDEST])('kubectl $version', (version) => {
  const kubectl = server.kubectl(version);
  const isNewest = version === NEWEST;
  const here = ['-n', 'names'];
  const files = (): { objects: string; custom: string } => ({
    objects: server.file('names.yaml', documents(names.objects)),
    custom: server.file('names-custom.yaml', documents(names.custom)),
  });

  beforeAll(async () => {
    const { objects, custom } = files();
    await kubectl('apply', '-f', objects);
    await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
    await kubectl('apply', '-f', custom);
    await kubectl('apply', '-f', server.file('application.yaml', documents(application.objects)));
  });
  afterAll(async () => {
    await kubectl('delete', '--ignore-not-found', '-f', files().custom);
    await kubectl(
      'delete',
      '--ignore-not-found',
      '-f',
      files().objects,
      '-f',
      server.file('application.yaml', documents(application.objects)),
    );
  });

  it('shows each kind of the release in each form', async () => {
    const path = server.file('application.yaml', documents(application.objects));
    for (const form of [
      'wide',
      'yaml',
      'json',
      'name',
      'jsonpath={.items[*].metadata.name}',
      'go-template={{len .items}}',
    ]) {
      const shown = await kubectl('get', '-f', path, '-o', form);
      expect(shown.length).toBeGreaterThan(0);
    }
    expect(await kubectl('get', '-f', path, '-o', 'go-template={{len .items}}')).toBe(
      String(application.objects.length),
    );
    expect(await kubectl('get', '-f', path, '-o', 'custom-columns=N:.metadata.name', '--no-headers')).toContain(
      'application-web',
    );
    expect(await kubectl('get', 'namerecords.names.example.com', ...here)).toMatch(
      /^NAME +READY +AGE\nexample-namerecord +\d+s\n$/,
    );
    expect(await kubectl('get', 'namerecords.names.example.com', ...here, '-o', 'wide')).toMatch(
      /^NAME +READY +FIRST +AGE\n/,
    );
    // The older one asks for versions of APIs that are gone.
    if (isNewest) expect(await kubectl('describe', '-f', path)).toContain('application-web');
  });

  it('explains kinds, with the descriptions of a definition', async () => {
    expect(await kubectl('explain', 'deployment.spec.strategy.rollingUpdate')).toContain('maxSurge');
    const shown = await kubectl('explain', 'namerecords.spec');
    expect(shown).toContain('fieldA');
    const whole = await kubectl('explain', 'namerecords', '--recursive');
    expect(whole).toContain('lastTransitionTime');
  });

  it('labels, annotates and patches, and says when there is nothing to do', async () => {
    const object = ['namerecords.names.example.com', 'example-namerecord', ...here];
    const type = isNewest
      ? 'namerecord.names.example.com/example-namerecord'
      : 'namerecord.names.example.com/example-namerecord';
    expect(await kubectl('label', ...object, 'a=b')).toBe(`${type} labeled\n`);
    if (isNewest) expect(await kubectl('label', ...object, 'a=b')).toBe(`${type} not labeled\n`);
    expect((await kubectl.ask(['label', ...object, 'a=c'])).stderr).toContain(
      "'a' already has a value (b), and --overwrite is false",
    );
    expect(await kubectl('label', ...object, 'a-')).toMatch(/ (?:un)?labeled\n$/);
    expect(await kubectl('annotate', ...object, 'note=x')).toBe(`${type} annotated\n`);
    expect(await kubectl('patch', ...object, '--type=merge', '-p', '{"spec":{"replicas":2}}')).toBe(
      `${type} patched\n`,
    );
    expect(await kubectl('patch', ...object, '--type=merge', '-p', '{"spec":{"replicas":2}}')).toBe(
      `${type} patched (no change)\n`,
    );
    expect(
      await kubectl('patch', ...object, '--type=json', '-p', '[{"op":"remove","path":"/metadata/annotations/note"}]'),
    ).toBe(`${type} patched\n`);
    const { stderr } = await kubectl.ask(['patch', ...object, '-p', '{"spec":{"replicas":3}}']);
    // The newer one knows before it asks.
    expect(stderr).toContain(
      isNewest
        ? 'application/strategic-merge-patch+json is not supported'
        : 'accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  });

  it('replaces, and refuses what is out of date', async () => {
    const object = JSON.parse(await kubectl('get', 'configmap', 'names-controller', ...here, '-o', 'json')) as {
      data: Record<string, string>;
    };
    const path = server.file('replace.json', JSON.stringify({ ...object, data: { a: version.version } }));
    expect(await kubectl('replace', '-f', path)).toBe('configmap/names-controller replaced\n');
    const { code, stderr } = await kubectl.ask(['replace', '-f', path]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'the object has been modified; please apply your changes to the latest version and try again',
      ),
    ]);
    expect(
      await kubectl(
        'replace',
        '--force',
        '--grace-period=0',
        '-f',
        server.file(
          'again.json',
          JSON.stringify({ ...object, metadata: { name: 'names-controller', namespace: 'names' } }),
        ),
      ),
    ).toContain('replaced');
  });

  it('scales, waits, rolls back and sets', async () => {
    const deployment = 'deployment/application-web';
    await kubectl('-n', 'application', 'scale', deployment, '--replicas=3');
    await kubectl('-n', 'application', 'set', 'image', deployment, 'web=none.invalid/other:2');
    await kubectl('-n', 'application', 'set', 'env', deployment, 'ADDED=1');
    await expect
      .poll(() => kubectl('-n', 'application', 'rollout', 'history', deployment))
      .toMatch(/\n1 +<none>\n2 +<none>\n3 +<none>\n/);
    await kubectl('-n', 'application', 'rollout', 'undo', deployment, '--to-revision=1');
    expect(
      await kubectl('-n', 'application', 'get', deployment, '-o', 'jsonpath={.spec.template.spec.containers[0].image}'),
    ).toBe('registry.invalid/project/controller:v1.2.3');
    const { code, stderr } = await kubectl.ask([
      '-n',
      'application',
      'wait',
      '--for=condition=Available',
      deployment,
      '--timeout=1s',
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('timed out waiting for the condition on deployments/application-web'),
    ]);
    if (isNewest)
      await kubectl('-n', 'application', 'wait', '--for=jsonpath={.spec.replicas}=3', deployment, '--timeout=60s');
  });

  it('prunes what is no longer in the file, by label', async () => {
    const map = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'names', labels: { set: 'a' } },
      data: { a: '1' },
    });
    const whole = server.file('whole.yaml', documents([map('kept'), map('dropped')]));
    const part = server.file('part.yaml', documents([map('kept')]));
    // Without it the older one asks for kinds that are gone.
    const only = isNewest ? '--prune-allowlist' : '--prune-whitelist';
    const flags = ['--prune', '-l', 'set=a', `${only}=core/v1/ConfigMap`, ...here];
    await kubectl('apply', ...flags, '-f', whole);
    const said = await kubectl('apply', ...flags, '-f', part);
    expect(said).toBe('configmap/kept unchanged\nconfigmap/dropped pruned\n');
  });
});

it('prunes the members of a set of several kinds', async () => {
  await newest('create', 'namespace', 'sets');
  const object = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'sets' },
    ...more,
  });
  const all = [
    object('v1', 'ConfigMap', 'a', { data: { a: '1' } }),
    object('v1', 'Secret', 'b', { stringData: { a: '1' } }),
    object('networking.k8s.io/v1', 'NetworkPolicy', 'c', { spec: { podSelector: {} } }),
  ];
  const apply = (objects: Parameters<typeof documents>[0]): Promise<string> =>
    newest(
      'apply',
      '--server-side',
      '-n',
      'sets',
      '--prune',
      '--applyset=set',
      '-f',
      server.file('set.yaml', documents(objects)),
    );
  await apply(all);
  const said = await apply(all.slice(0, 1));
  expect(said).toContain('secret/b pruned\n');
  expect(said).toContain('networkpolicy.networking.k8s.io/c pruned\n');
  const parent = JSON.parse(await newest('-n', 'sets', 'get', 'secret', 'set', '-o', 'json')) as {
    metadata: { labels: object; annotations: object };
  };
  expect(parent.metadata.labels).toMatchObject({
    'applyset.kubernetes.io/id': expect.stringMatching(/^applyset-.+-v1$/),
  });
  expect(await apply(all.slice(0, 1))).not.toContain('pruned');
});

it('builds and applies overlays', async () => {
  const deployment = application.objects.find(({ kind }) => kind === 'Deployment')!;
  const folder = server.folder;
  server.file('resources.yaml', documents([deployment]));
  server.file(
    'kustomization.yaml',
    dump({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'overlay',
      namePrefix: 'my-',
      commonAnnotations: { note: 'overlaid' },
      labels: [{ pairs: { team: 'a' }, includeSelectors: false }],
      resources: ['resources.yaml'],
      replicas: [{ name: 'application-web', count: 4 }],
      configMapGenerator: [{ name: 'generated', literals: ['a=1'] }],
    }),
  );
  await newest('create', 'namespace', 'overlay');
  const said = await newest('apply', '-k', folder);
  expect(said).toMatch(/^configmap\/my-generated-[a-z0-9]+ created\ndeployment\.apps\/my-application-web created\n$/);
  expect(await newest('apply', '-k', folder)).toMatch(/^configmap\/my-generated-[a-z0-9]+ unchanged\n/);
  expect(
    await newest(
      '-n',
      'overlay',
      'get',
      'deployment',
      'my-application-web',
      '-o',
      'jsonpath={.spec.replicas} {.metadata.labels.team}',
    ),
  ).toBe('4 a');
  await newest('delete', '-k', folder);
});

it('waits for the definitions of a large release, and deletes them with their objects', async () => {
  const release = found('certificates');
  const objects = server.file('large.yaml', documents(definitionsOf(release.objects)));
  await newest('create', 'namespace', 'certificates');
  await newest('apply', '-f', objects);
  await newest('wait', '--for=condition=Established', '--timeout=60s', '-f', objects);
  await newest('apply', '-f', server.file('large-custom.yaml', documents(release.custom)));
  expect((await newest('get', 'all-of-certificates', '-A', '-o', 'name')).split('\n').filter(Boolean)).toHaveLength(
    release.custom.length,
  );
  await newest('delete', '-f', objects, '--timeout=120s');
  expect((await newest.ask(['get', 'certificates.certificates.example.com'])).stderr).toContain(
    'the server doesn\'t have a resource type "certificates"',
  );
});
