/** Custom resources through the unmodified kubectl: a definition, its objects, what becomes of both. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inShort } from './extent.ts';
import { type CommandResult, kubectl120, kubectl136, Mendlet } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 245 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const newest = { version: '1.36', binary: kubectl136, letter: 'n' };
const versions = inShort([newest], [newest, { version: '1.20', binary: kubectl120, letter: 'o' }]);

const specSchema = {
  type: 'object',
  description: 'What is wanted.',
  required: ['cronSpec'],
  properties: {
    cronSpec: { type: 'string', pattern: '^\\S+( \\S+){4}$', description: 'The times at which it runs.' },
    image: { type: 'string', default: 'busybox' },
    replicas: { type: 'integer', minimum: 1, maximum: 10 },
  },
};
const statusSchema = { type: 'object', properties: { replicas: { type: 'integer' } } };

function definition(letter: string): object {
  const group = `${letter}.example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${letter}crontabs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: `${letter}crontabs`,
        kind: `${letter.toUpperCase()}CronTab`,
        shortNames: [`${letter}ct`],
        categories: ['all'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          additionalPrinterColumns: [{ name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'A job that comes back.',
              properties: { spec: specSchema, status: statusSchema },
            },
          },
        },
      ],
    },
  };
}

describe.each(versions)('kubectl $version', ({ version, binary, letter }) => {
  const ask = (...args: string[]): Promise<CommandResult> => mendlet.tryKubectl(args, undefined, binary);
  const kubectl = async (...args: string[]): Promise<string> => {
    const result = await ask(...args);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const file = (name: string, content: object): string => {
    const path = join(mendlet.folder, `${letter}-${name}.json`);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const kind = `${letter.toUpperCase()}CronTab`;
  const crontab = (name: string, spec: object): object => ({
    apiVersion: `${letter}.example.com/v1`,
    kind,
    metadata: { name },
    spec,
  });
  const short = `${letter}ct`;

  it('applies a definition and its objects, shows, explains, scales and patches them', async () => {
    expect(await kubectl('apply', '-f', file('crd', definition(letter)))).toContain('created');
    await kubectl(
      'wait',
      '--for=condition=Established',
      `crd/${letter}crontabs.${letter}.example.com`,
      '--timeout=30s',
    );
    const path = file('cr', crontab('a', { cronSpec: '* * * * 5' }));
    expect(await kubectl('apply', '-f', path)).toContain('created');
    expect(await kubectl('apply', '-f', path)).toContain('unchanged');
    expect(await kubectl('get', short)).toMatch(/^NAME +SPEC\na +\* \* \* \* 5\n$/);
    expect(await kubectl('get', 'all')).toContain(`${letter}crontab.${letter}.example.com/a`);
    expect(await kubectl('explain', `${letter}crontabs.spec.cronSpec`)).toContain('The times at which it runs.');
    await kubectl('scale', short, 'a', '--replicas=3');
    expect(
      await kubectl('get', short, 'a', '-o', 'jsonpath={.spec.replicas} {.spec.image} {.metadata.generation}'),
    ).toBe('3 busybox 2');
    await kubectl('patch', short, 'a', '--type=merge', '-p', '{"spec":{"image":"x"}}');
    const refused = await ask('patch', short, 'a', '--type=merge', '-p', '{"spec":{"replicas":11}}');
    expect(refused.stderr).toContain(
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
    );
  });

  it('tells what a definition does not know', async () => {
    const path = file('odd', crontab('odd', { cronSpec: '* * * * 5', nope: 1 }));
    const { code, stderr } = await ask('create', '-f', path);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(version === '1.20' ? 'unknown field "nope"' : 'unknown field "spec.nope"'),
    ]);
  });

  it('collects what objects own, with them and with their namespace', async () => {
    const namespace = `${letter}-team`;
    await kubectl('create', 'namespace', namespace);
    const here = ['-n', namespace];
    await kubectl(...here, 'apply', '-f', file('owner', crontab('owner', { cronSpec: '* * * * 5' })));
    const uid = await kubectl(...here, 'get', short, 'owner', '-o', 'jsonpath={.metadata.uid}');
    const owned = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'owned',
        ownerReferences: [{ apiVersion: `${letter}.example.com/v1`, kind, name: 'owner', uid }],
      },
    };
    await kubectl(...here, 'create', '-f', file('owned', owned));
    await kubectl(...here, 'delete', short, 'owner');
    await expect.poll(async () => (await ask(...here, 'get', 'cm', 'owned')).code, { timeout: 60_000 }).toBe(1);
    await kubectl('delete', 'namespace', namespace, '--timeout=60s');
  });

  it('deletes a definition with its objects', async () => {
    await kubectl('delete', 'crd', `${letter}crontabs.${letter}.example.com`, '--timeout=60s');
    expect((await ask('get', short)).code).toBe(1);
    await kubectl('apply', '-f', file('crd', definition(letter)));
    await kubectl(
      'wait',
      '--for=condition=Established',
      `crd/${letter}crontabs.${letter}.example.com`,
      '--timeout=30s',
    );
    expect(await kubectl('get', `${letter}crontabs`, '-o', 'name')).toBe('');
  });
});
