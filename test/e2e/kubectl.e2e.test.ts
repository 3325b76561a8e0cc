/** Tests the unmodified kubectl, new and old, on a real `mendlet up`: every supported verb, and its output. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inShort } from './extent.ts';
import { busyboxPod, type CommandResult, kubectl120, kubectl136, Mendlet, mainContainer, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 205 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const newest = { version: '1.36', binary: kubectl136, namespace: 'new' };
const versions = inShort([newest], [newest, { version: '1.20', binary: kubectl120, namespace: 'old' }]);

describe.each(versions)('kubectl $version', ({ version, binary, namespace }) => {
  const ask = (...args: string[]): Promise<CommandResult> =>
    mendlet.tryKubectl(['-n', namespace, ...args], undefined, binary);
  const kubectl = async (...args: string[]): Promise<string> => {
    const result = await ask(...args);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const file = (name: string, content: object): string => {
    const path = join(mendlet.folder, `${namespace}-${name}.json`);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  beforeAll(async () => {
    await kubectl('create', 'namespace', namespace);
    await kubectl(
      'create',
      '-f',
      file(
        'web',
        busyboxPod('web', 'echo line 1; echo line 2; echo line 3; exec sleep 36000', {
          metadata: { labels: { app: 'web' } },
        }),
      ),
    );
    await kubectl('wait', '--for=condition=Ready', 'pod/web', '--timeout=120s');
  });

  it('version and api-resources', async () => {
    expect(await kubectl('version')).toMatch(/v1\.36\.\d+\+mendlet/);
    const resources = await kubectl('api-resources');
    for (const row of [
      /^pods +po +v1 +true +Pod/m,
      /^nodes +no +v1 +false +Node/m,
      /^leases +coordination\.k8s\.io\/v1 +true +Lease/m,
    ])
      expect(resources).toMatch(
        version === '1.20'
          ? new RegExp(row.source.replace(' +true', ' +true').replace(' +false', ' +false'), 'm')
          : row,
      );
  });

  it('get in every form', async () => {
    expect(await kubectl('get', 'pods')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\nweb +1\/1 +Running +0 +\S+\n$/);
    expect(await kubectl('get', 'pod', 'web', '-o', 'wide')).toMatch(
      /IP +NODE +NOMINATED NODE +READINESS GATES\nweb .* 10\.205\.\S+ +e2e +<none> +<none>/,
    );
    expect(await kubectl('get', 'pod', 'web', '-o', 'yaml')).toContain('phase: Running');
    expect(await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.status.phase}')).toBe('Running');
    expect(await kubectl('get', 'pods', '-o', 'name')).toBe('pod/web\n');
    expect(await kubectl('get', 'pods', '-A')).toMatch(new RegExp(`${namespace} +web`));
    expect(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).toBe('pod/web\n');
    expect(await kubectl('get', 'pods', '-l', 'app notin (web)', '-o', 'name')).toBe('');
    expect(await kubectl('get', 'pods', '--field-selector', 'status.phase=Running', '-o', 'name')).toBe('pod/web\n');
    expect(await kubectl('get', 'nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\ne2e +Ready +\S+ +\S+ +v1\.36/);
    expect(await kubectl('get', 'sa,cm')).toMatch(/serviceaccount\/default[\s\S]*configmap\/kube-root-ca\.crt/);
    expect((await ask('get', 'pod', 'nope')).stderr).toBe('Error from server (NotFound): pods "nope" not found\n');
  });

  it('describe', async () => {
    const text = await kubectl('describe', 'pod', 'web');
    for (const wanted of [
      /Status: +Running/,
      /QoS Class: +BestEffort/,
      /Ready: +True/,
      /Normal +Scheduled .* Successfully assigned/,
      /Normal +Pulled/,
      /Normal +Created/,
      /Normal +Started/,
    ])
      expect(text).toMatch(wanted);
    expect(await kubectl('describe', 'node', 'e2e')).toMatch(/KubeletReady/);
  });

  it('apply, patch, label, annotate', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1', b: '2' } };
    expect(await kubectl('apply', '-f', file('c', config))).toBe('configmap/c created\n');
    expect(await kubectl('apply', '-f', file('c', config))).toBe('configmap/c unchanged\n');
    expect(await kubectl('apply', '-f', file('c', { ...config, data: { a: '3' } }))).toBe('configmap/c configured\n');
    expect(await kubectl('get', 'cm', 'c', '-o', 'jsonpath={.data}')).toMatch(/^(map\[a:3\]|\{"a":"3"\})$/);
    await kubectl('patch', 'cm', 'c', '--type=json', '-p', '[{"op":"add","path":"/data/j","value":"x"}]');
    await kubectl('patch', 'cm', 'c', '--type=merge', '-p', '{"data":{"j":null,"m":"y"}}');
    await kubectl('patch', 'cm', 'c', '--type=strategic', '-p', '{"data":{"s":"z"}}');
    expect(JSON.parse(await kubectl('get', 'cm', 'c', '-o', 'json'))).toMatchObject({
      data: { a: '3', m: 'y', s: 'z' },
    });
    await kubectl('label', 'pod', 'web', 'tier=front');
    await kubectl('annotate', 'pod', 'web', 'note=hello');
    expect(
      await kubectl('get', 'pods', '-l', 'tier=front', '-o', 'jsonpath={.items[0].metadata.annotations.note}'),
    ).toBe('hello');
  });

  it('invalid objects are refused with their field paths', async () => {
    const bad = busyboxPod('bad', 'true', { container: { image: '', ports: [{ containerPort: 99999 }] } });
    const refused = await ask('create', '-f', file('bad', bad));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('spec.containers[0].image: Required value');
    expect(refused.stderr).toContain('spec.containers[0].ports[0].containerPort: Invalid value');
    const typo = await ask('create', '-f', file('typo', busyboxPod('typo', 'true', { container: { imagee: 'x' } })));
    expect(typo.code).toBe(1);
    expect(typo.stderr).toMatch(/unknown field .*imagee/);
  });

  it('logs', async () => {
    expect(await kubectl('logs', 'web')).toBe('line 1\nline 2\nline 3\n');
    expect(await kubectl('logs', 'web', '-c', 'main', '--tail=1')).toBe('line 3\n');
    expect(await kubectl('logs', 'web', '--timestamps', '--tail=1')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d) line 3\n$/,
    );
    await sleep(1100);
    expect(await kubectl('logs', 'web', '--since=1s')).toBe('');
    expect((await ask('logs', 'web', '--previous')).stderr).toContain(
      'previous terminated container "main" in pod "web" not found',
    );
    await kubectl(
      'create',
      '-f',
      file(
        'counter',
        busyboxPod('counter', 'for i in 1 2 3 4 5; do echo $i; sleep 0.3; done', { spec: { restartPolicy: 'Never' } }),
      ),
    );
    await until('the counter has started', async () => {
      const pod = JSON.parse(await kubectl('get', 'pod', 'counter', '-o', 'json'));
      const main = mainContainer(pod);
      return (main?.state.running ?? main?.state.terminated) ? { value: true } : { last: JSON.stringify(pod.status) };
    });
    expect(await kubectl('logs', '-f', 'counter')).toBe('1\n2\n3\n4\n5\n');
  });

  it('exec: output, exit code, and a container that is not there', async () => {
    expect(await kubectl('exec', 'web', '--', 'sh', '-c', 'echo out; echo $HOSTNAME')).toBe('out\nweb\n');
    expect((await ask('exec', 'web', '--', 'sh', '-c', 'exit 7')).code).toBe(7);
    expect((await ask('exec', 'web', '-c', 'nope', '--', 'true')).stderr).toMatch(
      /container nope is not valid for pod web|container not found/,
    );
  });

  it('get -w sees each change', async () => {
    const watching = kubectl('get', 'cm', '-w', '--request-timeout=4s', '-o', 'name').catch(
      (error: Error) => error.message,
    );
    await kubectl('create', 'configmap', 'seen');
    expect(await watching).toContain('configmap/seen');
  });

  it('wait and events', async () => {
    await kubectl('wait', '--for=condition=Ready', 'pod/web', '--timeout=60s');
    if (version !== '1.20')
      expect(await kubectl('events', '--for', 'pod/web')).toMatch(
        /LAST SEEN +TYPE +REASON +OBJECT +MESSAGE[\s\S]*Started/,
      );
    expect(await kubectl('get', 'events')).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE/);
  });

  it('delete: with grace, by force, and a whole namespace', async () => {
    for (const name of ['gone', 'forced'])
      await kubectl('create', '-f', file(name, busyboxPod(name, 'exec sleep 36000')));
    await kubectl('wait', '--for=condition=Ready', 'pod/gone', 'pod/forced', '--timeout=120s');
    expect(await kubectl('delete', 'pod', 'gone')).toMatch(/pod "gone" deleted/);
    expect(await kubectl('delete', 'pod', 'forced', '--grace-period=0', '--force')).toMatch(
      /pod "forced" force deleted/,
    );
    await kubectl('create', 'namespace', `${namespace}-empty`);
    expect(await kubectl('delete', 'namespace', `${namespace}-empty`)).toMatch(/deleted/);
    expect((await ask('get', 'namespace', `${namespace}-empty`)).stderr).toContain('NotFound');
  });
});

it('nothing is anonymous but health', async () => {
  const config = JSON.parse(await mendlet.kubectl(['config', 'view', '--raw', '-o', 'json']));
  const server = config.clusters[0].cluster.server as string;
  const anonymous = (path: string) =>
    new Promise<string>((done, fail) => {
      const request = get(`${server}${path}`, { rejectUnauthorized: false }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on('end', () => done(`${response.statusCode} ${body}`));
      });
      request.on('error', fail);
    });
  for (const path of ['/healthz', '/livez', '/readyz']) expect(await anonymous(path)).toBe('200 ok');
  for (const path of ['/api/v1/pods', '/api', '/version', '/metrics', '/api/v1/nodes/e2e/proxy/pods']) {
    expect(await anonymous(path)).toMatch(/^401 .*"reason":"Unauthorized"/);
  }
});
