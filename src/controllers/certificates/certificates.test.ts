import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bootstrapTokenSecret,
  CERTIFICATE_SIGNING_REQUESTS,
  type CertificateSigningRequest,
  NODES,
  SECRETS,
} from '../../api/index.ts';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { createCertificateRequest } from '../../apiserver/edge/certificate-request.node.ts';
import { createKubeClient, type KubeClient } from '../../client/index.ts';
import { createMetrics, formatTime, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { runControllers } from '../run-controllers.ts';
import type { CertificateSigner } from './certificate-signer.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const HOUR_MS = 3_600_000;
const certificatePem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

let api: InMemoryApi;
let ended: Promise<void>;
const signed: Parameters<CertificateSigner['sign']>[0][] = [];
const stop: { controller: AbortController } = { controller: new AbortController() };

beforeEach(async () => {
  api = await createInMemoryApi();
  signed.length = 0;
  stop.controller = new AbortController();
  const certificateSigner: CertificateSigner = {
    sign: async (request) => {
      signed.push(request);
      return { ok: true, certificatePem };
    },
  };
  const options = {
    clock: api.clock,
    random: seededRandom('certificates'),
    logger: silentLogger,
    metrics: createMetrics(),
  };
  ended = runControllers(
    { ...options, client: as('system:kube-controller-manager') },
    { caCertificate: 'CA', certificateSigner },
    stop.controller.signal,
  );
});
afterEach(async () => {
  stop.controller.abort();
  await ended;
});

function as(name: string, ...groups: string[]): KubeClient {
  return createKubeClient(api.as({ name, groups: [...groups, 'system:authenticated'] }), { clock: api.clock });
}

interface Asked {
  readonly commonName?: string;
  readonly organizations?: string[];
  readonly dnsNames?: string[];
  readonly ipAddresses?: string[];
  readonly signerName?: string;
  readonly usages?: string[];
  readonly expirationSeconds?: number;
}

async function ask(client: KubeClient, asked: Asked = {}): Promise<() => Promise<CertificateSigningRequest>> {
  const { signerName = CLIENT, usages, expirationSeconds, ...subject } = asked;
  const { csrPem } = await createCertificateRequest({
    commonName: 'system:node:n1',
    organizations: ['system:nodes'],
    dnsNames: [],
    ipAddresses: [],
    ...subject,
  });
  const purpose = signerName === SERVING ? 'server auth' : 'client auth';
  const created = await client.create(CERTIFICATE_SIGNING_REQUESTS, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: {
      request: Buffer.from(csrPem).toString('base64'),
      signerName,
      usages: usages ?? ['digital signature', purpose],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    },
  });
  return () => api.client.get(CERTIFICATE_SIGNING_REQUESTS, undefined, created.metadata?.name ?? '');
}

const joiner = (): KubeClient =>
  as('system:bootstrap:abcdef', 'system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token');
const node = (name = 'n1'): KubeClient => as(`system:node:${name}`, 'system:nodes');
const typesOf = ({ status }: CertificateSigningRequest): string[] => (status?.conditions ?? []).map(({ type }) => type);

async function issued(read: () => Promise<CertificateSigningRequest>): Promise<CertificateSigningRequest> {
  await until(async () => (await read()).status?.certificate !== undefined, 'a certificate');
  return read();
}

/** It stays as it is, however long the controllers run. */
async function untouched(read: () => Promise<CertificateSigningRequest>): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await settle();
  expect(typesOf(await read())).toEqual([]);
}

describe('the certificate of a machine that joins', () => {
  it('is approved by its token’s group, and signed', async () => {
    const request = await issued(await ask(joiner()));
    expect(request.status?.conditions?.[0]).toMatchObject({
      type: 'Approved',
      reason: 'AutoApproved',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    });
    expect(Buffer.from(request.status?.certificate ?? '', 'base64').toString()).toBe(certificatePem);
    const { wall } = api.clock.now();
    expect(signed[0]).toMatchObject({
      usages: ['digital signature', 'client auth'],
      notBefore: wall - 5 * 60_000,
      notAfter: wall + 365 * 24 * HOUR_MS,
    });
  });

  it('lives as long as was asked, and no longer than others', async () => {
    await issued(await ask(joiner(), { expirationSeconds: 3600 }));
    await issued(await ask(joiner(), { expirationSeconds: 10 * 365 * 24 * 3600 }));
    const { wall } = api.clock.now();
    expect(signed.map(({ notAfter }) => notAfter - wall)).toEqual([HOUR_MS, 365 * 24 * HOUR_MS]);
  });

  it('is renewed by the node itself, and by no other', async () => {
    const request = await issued(await ask(node()));
    expect(request.status?.conditions?.[0]?.message).toContain('self kubelet client certificate');
    await untouched(await ask(node('n2')));
  });

  it('is not approved for those who may only ask', async () => {
    await untouched(await ask(as('system:bootstrap:abcdef', 'system:bootstrappers')));
  });

  it.each<[string, Asked]>([
    ['of masters', { organizations: ['system:masters'] }],
    ['of masters besides', { organizations: ['system:nodes', 'system:masters'] }],
    ['of nobody', { organizations: [] }],
    ['of another kind of user', { commonName: 'admin' }],
    ['without a name', { commonName: 'system:node:' }],
    ['with a host name', { dnsNames: ['kubernetes'] }],
    ['for servers too', { usages: ['digital signature', 'client auth', 'server auth'] }],
  ])('is not approved %s', async (_, asked) => untouched(await ask(joiner(), asked)));

  it('fails when somebody approves what may not be', async () => {
    const read = await ask(joiner(), { organizations: ['system:masters'] });
    await approve(read);
    await until(async () => typesOf(await read()).includes('Failed'), 'a failure');
    expect((await read()).status?.conditions?.[1]).toMatchObject({
      reason: 'SignerValidationFailure',
      message: 'subject organization is not system:nodes',
    });
    expect(signed).toEqual([]);
  });
});

async function approve(read: () => Promise<CertificateSigningRequest>): Promise<void> {
  const request = await read();
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Tested', message: '' }];
  await api.client.update(CERTIFICATE_SIGNING_REQUESTS, { ...request, status: { conditions } }, 'approval');
}

describe('the certificate that a kubelet serves with', () => {
  const addresses = [
    { type: 'InternalIP', address: '192.0.2.1' },
    { type: 'InternalIP', address: 'fd00::1' },
    { type: 'Hostname', address: 'n1.example.com' },
  ];
  const register = async (name: string, told: object[] = addresses): Promise<void> => {
    await api.client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: { addresses: told },
    } as never);
  };
  const serving = (names: Partial<Asked>): Asked => ({ signerName: SERVING, ...names });

  it('has the names that its node told', async () => {
    await register('n1');
    const names = { dnsNames: ['n1', 'n1.example.com'], ipAddresses: ['192.0.2.1', 'fd00::1'] };
    await issued(await ask(node(), serving(names)));
    expect(signed[0]?.usages).toEqual(['digital signature', 'server auth']);
  });

  it('waits until the node has told them', async () => {
    const read = await ask(node(), serving({ ipAddresses: ['192.0.2.1'] }));
    await untouched(read);
    await register('n1');
    await issued(read);
  });

  it.each<[string, Partial<Asked>]>([
    ['an address of nobody', { ipAddresses: ['192.0.2.9'] }],
    ['a name of nobody', { dnsNames: ['n2'] }],
    ['no name at all', {}],
    ['a strange name beside its own', { dnsNames: ['n1', 'kubernetes.default.svc'] }],
    ['another node’s', { commonName: 'system:node:n2', dnsNames: ['n2'] }],
  ])('is not approved for %s', async (_, names) => {
    await register('n1');
    await untouched(await ask(node(), serving(names)));
  });

  it.each([
    [[{ type: 'InternalIP', address: '10.96.0.1' }], { ipAddresses: ['10.96.0.1'] }],
    [[{ type: 'InternalIP', address: '127.0.0.1' }], { ipAddresses: ['127.0.0.1'] }],
    [[{ type: 'Hostname', address: 'kubernetes.default.svc' }], { dnsNames: ['kubernetes.default.svc'] }],
    [[{ type: 'Hostname', address: 'localhost' }], { dnsNames: ['localhost'] }],
    [[{ type: 'Hostname', address: '*.example.com' }], { dnsNames: ['*.example.com'] }],
    [[{ type: 'InternalIP', address: '192.0.2.2' }], { ipAddresses: ['192.0.2.2'] }],
    [[{ type: 'Hostname', address: 'n2' }], { dnsNames: ['n2'] }],
  ])('is not approved for what is another’s, though the node tells it: %j', async (told, names) => {
    await register('n2', [{ type: 'InternalIP', address: '192.0.2.2' }]);
    await register('n1', told);
    await untouched(await ask(node(), serving(names)));
  });

  it('is not approved for somebody who is no node', async () => {
    await register('n1');
    await untouched(await ask(joiner(), serving({ dnsNames: ['n1'] })));
  });
});

it('other client certificates wait for a person, and masters are not made', async () => {
  const other = { signerName: 'kubernetes.io/kube-apiserver-client', commonName: 'eve', organizations: ['devs'] };
  const read = await ask(joiner(), other);
  await untouched(read);
  await approve(read);
  await issued(read);
  await expect(ask(joiner(), { ...other, organizations: ['system:masters'] })).rejects.toThrow(
    /system:masters group is not allowed/,
  );
  // Another's signer is not ours.
  const foreign = await ask(joiner(), { ...other, signerName: 'example.com/mine' });
  await approve(foreign);
  for (let turn = 0; turn < 50; turn += 1) await settle();
  expect((await foreign()).status?.certificate).toBeUndefined();
});

it('requests are cleaned up: an hour after their end, or after a day', async () => {
  const done = await ask(joiner());
  await issued(done);
  const waiting = await ask(joiner(), { dnsNames: ['x'] });
  await api.clock.advance(HOUR_MS + 1000);
  await until(
    () =>
      done().then(
        () => false,
        () => true,
      ),
    'the end of the issued one',
  );
  expect(typesOf(await waiting())).toEqual([]);
  await api.clock.advance(23 * HOUR_MS);
  await until(
    () =>
      waiting().then(
        () => false,
        () => true,
      ),
    'the end of the other',
  );
});

it('bootstrap tokens go when they end', async () => {
  const expiration = formatTime(api.clock.now().wall + 60_000);
  await api.client.create(SECRETS, bootstrapTokenSecret({ id: 'abcdef', secret: '0123456789abcdef', expiration }));
  await api.client.create(SECRETS, bootstrapTokenSecret({ id: 'ghijkl', secret: '0123456789abcdef' }));
  const names = async (): Promise<(string | undefined)[]> =>
    (await api.client.list(SECRETS, { namespace: 'kube-system' })).items.map(({ metadata }) => metadata?.name);
  for (let turn = 0; turn < 50; turn += 1) await settle();
  expect(await names()).toEqual(['bootstrap-token-abcdef', 'bootstrap-token-ghijkl']);
  await api.clock.advance(60_000);
  await until(async () => (await names()).length === 1, 'the end of the token');
  expect(await names()).toEqual(['bootstrap-token-ghijkl']);
});
