/**
 * Tests access rights over the network: roles and bindings, service accounts with the tokens of their pods, people and machines
 * with certificates that the cluster signed, impersonation, and the reach of a stolen node certificate.
 */
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateRequest } from '../../src/apiserver/edge/certificate-request.node.ts';
import { busyboxPod, type CommandResult, Mendlet, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 169 });
let server = '';
let authority = '';

beforeAll(async () => {
  await mendlet.up();
  const config = JSON.parse(await mendlet.kubectl(['config', 'view', '--raw', '-o', 'json'])) as {
    clusters: readonly { cluster: { server: string; 'certificate-authority-data': string } }[];
  };
  const cluster = config.clusters[0]?.cluster;
  server = cluster?.server ?? '';
  authority = join(mendlet.folder, 'ca.crt');
  writeFileSync(authority, Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64'));
  await mendlet.kubectl(['create', 'namespace', 'team']);
  await mendlet.kubectl(['create', 'serviceaccount', 'bot', '-n', 'team']);
  await mendlet.kubectl(['create', 'role', 'reader', '-n', 'team', '--verb=get,list', '--resource=pods']);
  await mendlet.kubectl(['create', 'rolebinding', 'bot', '-n', 'team', '--role=reader', '--serviceaccount=team:bot']);
  await mendlet.kubectl(['create', 'rolebinding', 'eve', '-n', 'team', '--clusterrole=edit', '--user=eve']);
});
afterAll(() => mendlet.down());

/** kubectl without the administrator's credentials. */
function stranger(credentials: readonly string[], ...args: readonly string[]): Promise<CommandResult> {
  const where = ['--kubeconfig=/dev/null', `--server=${server}`, `--certificate-authority=${authority}`];
  return mendlet.tryKubectl([...where, ...credentials, ...args]);
}

async function mayI(who: readonly string[], ...question: readonly string[]): Promise<string> {
  return (await mendlet.tryKubectl(['auth', 'can-i', ...question, ...who])).stdout.trim();
}

interface Wanted {
  readonly name: string;
  readonly signer: string;
  readonly commonName: string;
  readonly organizations: string[];
}

/** Asks for a client certificate. @returns the flags for kubectl once it is issued */
async function ask(
  send: (...args: readonly string[]) => Promise<CommandResult>,
  { name, signer, ...subject }: Wanted,
): Promise<{ readonly asked: CommandResult; readonly issued: () => Promise<string[]> }> {
  const { csrPem, keyPem } = await createCertificateRequest({ ...subject, dnsNames: [], ipAddresses: [] });
  const file = join(mendlet.folder, name);
  const object = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(csrPem).toString('base64'),
      signerName: `kubernetes.io/${signer}`,
      usages: ['client auth', 'digital signature'],
    },
  };
  writeFileSync(`${file}.json`, JSON.stringify(object));
  const asked = await send('create', '-f', `${file}.json`);
  const issued = async (): Promise<string[]> => {
    const encoded = await until<string>(`certificate of ${name}`, async () => {
      const { status } = await mendlet.read<{ status: { certificate?: string } }>(`csr/${name}`);
      return status.certificate === undefined ? { last: JSON.stringify(status) } : { value: status.certificate };
    });
    writeFileSync(`${file}.crt`, Buffer.from(encoded, 'base64'));
    writeFileSync(`${file}.key`, keyPem, { mode: 0o600 });
    return [`--client-certificate=${file}.crt`, `--client-key=${file}.key`];
  };
  return { asked, issued };
}

function anonymous(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${server}${path}`, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}

it('shows nobody unknown more than health', async () => {
  expect(await anonymous('/healthz')).toBe(200);
  expect(await anonymous('/readyz?verbose')).toBe(200);
  for (const path of [
    '/version',
    '/api',
    '/apis',
    '/openapi/v2',
    '/metrics',
    '/api/v1/pods',
    '/api/v1/namespaces/kube-public/configmaps/cluster-info',
  ])
    expect([path, await anonymous(path)]).toEqual([path, 401]);
});

describe('kubectl auth', () => {
  it('can-i answers by roles', async () => {
    const bot = ['--as=system:serviceaccount:team:bot'];
    expect(await mayI(bot, 'list', 'pods', '-n', 'team')).toBe('yes');
    expect(await mayI(bot, 'list', 'pods')).toBe('no');
    expect(await mayI(['--as=eve'], 'create', 'deployments.apps', '-n', 'team')).toBe('yes');
    expect(await mayI(['--as=eve'], 'create', 'rolebindings', '-n', 'team')).toBe('no');
    expect(await mayI([], '*', '*')).toBe('yes');
    expect((await mendlet.tryKubectl(['auth', 'can-i', '--list', '-n', 'team', ...bot])).stdout).toMatch(
      /^pods +\[\] +\[\] +\[get list\]$/m,
    );
  });
  it('a review is made of a file, too, and a field that it does not have is refused', async () => {
    const review = (spec: object): string =>
      JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'team' };
    const create = ['create', '-f', '-', '-o', 'jsonpath={.status.allowed}'];
    expect(await mendlet.kubectl(create, review({ user: 'eve', resourceAttributes }))).toBe('true');
    const refused = await mendlet.tryKubectl(create, review({ user: 'eve', resourceAttributes, wish: 1 }));
    expect(refused.stderr).toContain('unknown field "wish"');
  });
  it('whoami tells whom one acts as', async () => {
    const text = await mendlet.kubectl(['auth', 'whoami', '--as=eve', '--as-group=devs', '--as-uid=7']);
    expect(text).toMatch(/^Username +eve$/m);
    expect(text).toMatch(/^Groups +\[devs system:authenticated\]$/m);
  });
  it('reconcile adds what is missing, and the roles for people gather it', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'tabs', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ apiGroups: ['example.com'], resources: ['tabs'], verbs: ['get'] }],
    };
    await mendlet.kubectl(['auth', 'reconcile', '-f', '-'], JSON.stringify(role));
    for (const name of ['view', 'edit', 'admin']) {
      await until(`${name} with tabs`, async () => {
        const text = JSON.stringify((await mendlet.read<{ rules: object[] }>(`clusterroles/${name}`)).rules);
        return text.includes('tabs') ? { value: true } : { last: text };
      });
    }
  });
});

it('nobody grants what he does not hold', async () => {
  await mendlet.kubectl(['create', 'role', 'granter', '-n', 'team', '--verb=create', '--resource=roles,rolebindings']);
  await mendlet.kubectl(['create', 'rolebinding', 'g', '-n', 'team', '--role=granter', '--user=gina']);
  const made = await mendlet.tryKubectl([
    'create',
    'role',
    'x',
    '-n',
    'team',
    '--verb=get',
    '--resource=secrets',
    '--as=gina',
  ]);
  expect(made.stderr).toContain('is attempting to grant RBAC permissions not currently held:');
  expect(made.stderr).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}');
  const bound = await mendlet.tryKubectl([
    'create',
    'rolebinding',
    'x',
    '-n',
    'team',
    '--clusterrole=cluster-admin',
    '--user=gina',
    '--as=gina',
  ]);
  expect(bound.stderr).toContain('not currently held');
});

describe('a service account', () => {
  it('gets by a token what its roles give', async () => {
    const token = (await mendlet.kubectl(['create', 'token', 'bot', '-n', 'team'])).trim();
    const as = (...args: readonly string[]): Promise<CommandResult> => stranger([`--token=${token}`], ...args);
    expect((await as('get', 'pods', '-n', 'team')).code).toBe(0);
    expect((await as('get', 'pods')).stderr).toContain(
      'pods is forbidden: User "system:serviceaccount:team:bot" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect((await as('get', 'pods', '-n', 'team', '--as=eve')).stderr).toContain('cannot impersonate resource "users"');
    expect((await as('delete', '--raw', '/api/v1/namespaces/team/pods')).stderr).toContain(
      'cannot deletecollection resource "pods"',
    );
    await mendlet.kubectl(['delete', 'rolebinding', 'bot', '-n', 'team']);
    expect((await as('get', 'pods', '-n', 'team')).code).toBe(1);
    await mendlet.kubectl(['delete', 'serviceaccount', 'bot', '-n', 'team']);
    expect((await as('get', 'pods', '-n', 'team')).stderr).toContain('You must be logged in');
  });
});

describe('certificates', () => {
  const admin = (...args: readonly string[]): Promise<CommandResult> => mendlet.tryKubectl(args);

  it('of people are signed when somebody approves', async () => {
    const wanted = { signer: 'kube-apiserver-client', organizations: ['devs'] };
    const carol = await ask(admin, { ...wanted, name: 'carol', commonName: 'carol' });
    expect(carol.asked.code).toBe(0);
    await ask(admin, { ...wanted, name: 'dave', commonName: 'dave' });
    expect(await mendlet.kubectl(['get', 'csr', 'carol'])).toMatch(/Pending$/m);
    await mendlet.kubectl(['certificate', 'approve', 'carol']);
    await mendlet.kubectl(['certificate', 'deny', 'dave']);
    const flags = await carol.issued();
    expect((await stranger(flags, 'auth', 'whoami')).stdout).toMatch(/Groups +\[devs system:authenticated\]/);
    expect((await stranger(flags, 'get', 'secrets')).stderr).toContain('User "carol" cannot list resource "secrets"');
    expect(await mendlet.kubectl(['get', 'csr', 'dave'])).toMatch(/Denied$/m);
    const root = await ask(admin, { ...wanted, name: 'root', commonName: 'root', organizations: ['system:masters'] });
    expect(root.asked.stderr).toContain('signer with system:masters group is not allowed');
  });

  it('of machines that join come by a bootstrap token, and reach no further than their node', async () => {
    const data = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    };
    await mendlet.create(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
        type: 'bootstrap.kubernetes.io/token',
        stringData: data,
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'used' }, stringData: { a: 'b' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'unused' } },
      busyboxPod('here', 'sleep 1000', { container: { envFrom: [{ secretRef: { name: 'used' } }] } }),
    );
    await mendlet.untilPod('here', 'runs', ({ status }) => status.phase === 'Running');
    const joiner = (...args: readonly string[]): Promise<CommandResult> =>
      stranger(['--token=abcdef.0123456789abcdef'], ...args);
    expect((await joiner('get', 'secrets', '-A')).stderr).toContain('forbidden');
    const wanted = {
      name: 'n9',
      signer: 'kube-apiserver-client-kubelet',
      commonName: 'system:node:n9',
      organizations: ['system:nodes'],
    };
    const { asked, issued } = await ask(joiner, wanted);
    expect(asked.stderr).toBe('');
    const flags = await issued();
    const n9 = (...args: readonly string[]): Promise<CommandResult> => stranger(flags, ...args);
    expect((await n9('auth', 'whoami')).stdout).toMatch(/Groups +\[system:nodes system:authenticated\]/);
    expect((await n9('get', 'pods', '-A', '--field-selector=spec.nodeName=n9')).code).toBe(0);
    const refused: readonly (readonly string[])[] = [
      ['get', 'pods', '-A'],
      ['get', 'pods', '-A', '--field-selector=spec.nodeName=e2e'],
      ['get', 'pod', 'here'],
      ['get', 'secret', 'used'],
      ['get', 'secrets'],
      ['get', 'configmap', 'kube-root-ca.crt'],
      ['delete', 'pod', 'here'],
      ['label', 'node', 'e2e', 'a=b'],
      ['taint', 'node', 'e2e', 'a=b:NoExecute'],
      ['delete', 'node', 'e2e'],
      ['get', 'lease', 'e2e', '-n', 'kube-node-lease'],
      ['create', 'token', 'default'],
      ['run', 'mine', '--image=x'],
      ['exec', 'here', '--', 'true'],
      ['auth', 'can-i', '--list', '--as=eve'],
    ];
    for (const args of refused) {
      const { code, stderr } = await n9(...args);
      expect([args.join(' '), code, /forbidden|not allowed|cannot impersonate/i.test(stderr)]).toEqual([
        args.join(' '),
        1,
        true,
      ]);
    }
    // The pod runs with the secret, so our own node's kubelet could read it.
    expect(await mendlet.kubectl(['exec', 'here', '--', 'sh', '-c', 'echo $a'])).toBe('b\n');
    const other = await ask(n9, { ...wanted, name: 'n8', commonName: 'system:node:n8' });
    expect(other.asked.code).toBe(0);
    expect(await mendlet.kubectl(['get', 'csr', 'n8'])).toMatch(/system:node:n9 .* Pending$/m);
  });
});
