/** Tests server-side apply with both kubectls: conflicts, force, diffs, migration, pruning, and who is told as a manager. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inShort } from './extent.ts';
import { type CommandResult, kubectl120, kubectl136, Mendlet } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 243 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const newest = { version: '1.36', binary: kubectl136, namespace: 'new' };
const versions = inShort([newest], [newest, { version: '1.20', binary: kubectl120, namespace: 'old' }]);

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

describe.each(versions)('kubectl $version', ({ version, binary, namespace }) => {
  const isNewest = version === newest.version;
  const ask = (...args: string[]): Promise<CommandResult> =>
    mendlet.tryKubectl(['-n', namespace, ...args], undefined, binary);
  const kubectl = async (...args: string[]): Promise<string> => {
    const result = await ask(...args);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const file = (name: string, ...objects: readonly object[]): string => {
    const path = join(mendlet.folder, `${namespace}-${name}.json`);
    writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return path;
  };
  const deployment = (replicas: number): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'none.invalid/none', ports: [{ containerPort: 80 }] }] },
      },
    },
  });
  const map = (name: string, data: object): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });
  const managersOf = async (...what: readonly string[]): Promise<readonly Entry[]> => {
    const shown = isNewest ? ['--show-managed-fields'] : [];
    const object = JSON.parse(await kubectl('get', ...what, '-o', 'json', ...shown)) as {
      readonly metadata: { readonly managedFields: readonly Entry[] };
    };
    return object.metadata.managedFields;
  };

  beforeAll(() => kubectl('create', 'namespace', namespace));

  it('applies on the server, meets conflicts, and overrules them', async () => {
    const [one, two] = [file('one', deployment(1)), file('two', deployment(2))];
    expect(await kubectl('apply', '--server-side', '-f', one)).toBe('deployment.apps/web serverside-applied\n');
    const before = await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.generation}');
    await kubectl('apply', '--server-side', '-f', one);
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.generation}')).toBe(before);
    const refused = await ask('apply', '--server-side', '--field-manager', 'other', '-f', two);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas');
    const shown = await ask('diff', '--server-side', '--field-manager', 'other', '--force-conflicts', '-f', two);
    expect(shown.stdout).toMatch(/^-  replicas: 1\n\+  replicas: 2$/m);
    await kubectl('apply', '--server-side', '--field-manager', 'other', '--force-conflicts', '-f', two);
    const applied = (await managersOf('deployment/web')).filter(({ operation }) => operation === 'Apply');
    expect(applied.map(({ manager }) => manager)).toEqual(['kubectl', 'other']);
    expect(JSON.stringify(applied[0]?.fieldsV1)).not.toContain('f:replicas');
    expect(JSON.stringify(applied[1]?.fieldsV1)).toContain('f:replicas');
    await kubectl('scale', 'deployment', 'web', '--replicas', '3');
    const scaled = await ask('apply', '--server-side', '--field-manager', 'other', '-f', two);
    expect(scaled.stderr).toContain('conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas');
    await kubectl('delete', 'deployment', 'web');
  });

  it('removes what is not applied any more', async () => {
    await kubectl('apply', '--server-side', '-f', file('full', map('m', { a: '1', b: '2' })));
    await kubectl('patch', 'configmap', 'm', '-p', '{"data":{"c":"3"}}');
    await kubectl('apply', '--server-side', '-f', file('less', map('m', { a: '1' })));
    expect(await kubectl('get', 'configmap', 'm', '-o', 'jsonpath={.data}')).toBe('{"a":"1","c":"3"}');
  });

  it('goes over from the client to the server and back', async () => {
    const [one, two] = [file('client', map('moved', { a: '1', b: '2' })), file('server', map('moved', { a: '2' }))];
    await kubectl('apply', '-f', one);
    await kubectl('apply', '--server-side', '-f', two);
    expect(await kubectl('get', 'configmap', 'moved', '-o', 'jsonpath={.data.a}')).toBe('2');
    expect(await kubectl('apply', '-f', two)).toMatch(/configmap\/moved (?:unchanged|configured)/);
    if (!isNewest) return;
    // What was applied on the client was handed over, so that it goes, too.
    expect(await kubectl('get', 'configmap', 'moved', '-o', 'jsonpath={.data}')).toBe('{"a":"2"}');
    expect(await kubectl('get', 'configmap', 'moved', '-o', 'yaml')).not.toContain('managedFields');
  });

  it('tells who of the cluster has written', async () => {
    await kubectl('apply', '--server-side', '-f', file('told', deployment(1)));
    await kubectl('wait', '--for=condition=Progressing', 'deployment/web', '--timeout=60s');
    const names = (await managersOf('deployment/web')).map(({ manager, subresource }) => `${manager} ${subresource}`);
    expect(names).toEqual(['kubectl undefined', 'kube-controller-manager status']);
    const node = await managersOf('node/e2e');
    const lease = await managersOf('lease/e2e', '-n', 'kube-node-lease');
    expect(node.map(({ manager }) => manager)).toContain('kubelet');
    expect(lease.map(({ manager }) => manager)).toEqual(['kubelet']);
    await kubectl('delete', 'deployment', 'web');
  });
});

it('kubectl prunes the members of a set', async () => {
  process.env['KUBECTL_APPLYSET'] = 'true';
  const apply = (...names: readonly string[]): Promise<string> => {
    const items = names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } }));
    const path = join(mendlet.folder, `set-of-${names.length}.json`);
    writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return mendlet.kubectl([
      'apply',
      '-n',
      'default',
      '--server-side',
      '--prune',
      '--applyset=configmaps/set',
      '-f',
      path,
    ]);
  };
  await apply('x', 'y');
  expect(await apply('x')).toContain('configmap/y pruned');
  expect(await mendlet.kubectl(['get', 'configmaps', '-o', 'name'])).not.toContain('configmap/y');
});
