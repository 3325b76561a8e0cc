/** Tests objects other than pods with both kubectls: tokens, services, classes, quotas, taints. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inShort } from './extent.ts';
import { busyboxPod, type CommandResult, kubectl120, kubectl136, Mendlet, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 162 });
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
  const create = async (name: string, content: object): Promise<CommandResult> => {
    const path = join(mendlet.folder, `${namespace}-${name}.json`);
    writeFileSync(path, JSON.stringify(content));
    return ask('create', '-f', path);
  };

  beforeAll(async () => {
    await kubectl('create', 'namespace', namespace);
    const page = 'mkdir /www; echo hello > /www/index.html; exec httpd -f -p 8080 -h /www';
    const web = busyboxPod('web', page, { metadata: { labels: { app: 'web' } } });
    await create('web', web);
    await kubectl('wait', '--for=condition=Ready', 'pod/web', '--timeout=120s');
  });

  it('says what one may', async () => {
    expect(await kubectl('auth', 'can-i', 'delete', 'pods')).toBe('yes\n');
    const account = `system:serviceaccount:${namespace}:default`;
    expect((await ask('auth', 'can-i', 'list', 'pods', '--as', account)).stdout).toBe('no\n');
    if (version === '1.20') return;
    expect(await kubectl('auth', 'whoami')).toContain('kubernetes-admin');
    expect((await kubectl('create', 'token', 'default')).split('.')).toHaveLength(3);
  });

  it('makes services, and leads to the pods behind them', async () => {
    await kubectl('expose', 'pod', 'web', '--port', '80', '--target-port', '8080');
    await kubectl('create', 'service', 'nodeport', 'np', '--tcp=80:8080');
    const listed = await kubectl('get', 'services');
    expect(listed).toMatch(/^np +NodePort +10\.96\.\d+\.\d+ +<none> +80:3\d{4}\/TCP/m);
    expect(listed).toMatch(/^web +ClusterIP +10\.96\.\d+\.\d+ +<none> +80\/TCP/m);
    expect(await kubectl('get', '--raw', `/api/v1/namespaces/${namespace}/services/web/proxy/`)).toBe('hello\n');
    expect(await kubectl('get', '--raw', `/api/v1/namespaces/${namespace}/pods/web:8080/proxy/`)).toBe('hello\n');
    expect(await kubectl('get', 'endpoints', 'kubernetes', '-n', 'default')).toMatch(/10\.162\.0\.1:\d+/);
  });

  it('holds a namespace to its quota', async () => {
    await kubectl('create', 'quota', 'q', '--hard=pods=1');
    const refused = await create('second', busyboxPod('second', 'exec sleep 36000'));
    expect(refused.stderr).toContain('exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1');
    await until('the status', async () => {
      const { status } = await mendlet.read<{ status?: { used?: { pods?: string } } }>('quota/q', { namespace });
      return status?.used?.pods === '1' ? { value: status } : { last: JSON.stringify(status) };
    });
    expect(await kubectl('get', 'quota', 'q')).toContain('pods: 1/1');
    await kubectl('delete', 'quota', 'q');
  });
});

it('a NoExecute taint sends away who does not tolerate it, and says so', async () => {
  const kubectl = async (...args: string[]): Promise<string> =>
    (await mendlet.tryKubectl(args, undefined, kubectl136)).stdout;
  await kubectl('taint', 'node', 'e2e', 'leave=now:NoExecute');
  await until('the pods to go', async () => {
    const { items } = await mendlet.get<{ items: object[] }>('/api/v1/pods');
    return items.length === 0 ? { value: true } : { last: JSON.stringify(items) };
  });
  await kubectl('taint', 'node', 'e2e', 'leave-');
  const events = await kubectl('get', 'events', '-n', 'new', '--field-selector', 'reason=TaintManagerEviction');
  expect(events).toContain('Marking for deletion Pod new/web');
});
