/**
 * Tests custom objects whose versions a webhook converts that runs in a pod behind a Service: through kubectl, and while the webhook is
 * gone, which stops neither garbage collection nor the deletion of a namespace.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemSigner } from '../../src/apiserver/edge/signer.node.ts';
import { Mendlet, root } from './harness.ts';
import { nodeImage } from './node-image.ts';
import { systemArchive } from './system-archive.ts';

const IMAGE = 'docker.io/library/conversion-webhook:1';

/** "host:port" in v1 is two fields in v2. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
const convert = ({ spec: { hostPort, host, port, ...spec }, ...object }, apiVersion) => {
  const [name, number] = String(hostPort).split(':');
  const own = apiVersion.endsWith('/v1') ? { hostPort: host + ':' + port } : { host: name, port: Number(number) };
  return { ...object, apiVersion, spec: { ...spec, ...own } };
};
const options = { cert: readFileSync('/tls/tls.crt'), key: readFileSync('/tls/tls.key') };
createServer(options, async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  if (text === '') return response.end('ok');
  const { apiVersion, kind, request: { uid, desiredAPIVersion, objects } } = JSON.parse(text);
  const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } }));
}).listen(8443);
process.on('SIGTERM', () => process.exit(0));
`;

let mendlet: Mendlet;
let authorityPem = '';
beforeAll(async () => {
  const image = nodeImage(IMAGE, { 'app/webhook.mjs': PROGRAM }, ['node', '/app/webhook.mjs']);
  const archive = systemArchive(image, join(root, '.cache/e2e'));
  mendlet = new Mendlet({ podNetwork: 249, flags: ['--service-cidr', '10.109.0.0/16', '--image-archive', archive] });
  await mendlet.up();
  const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
  const authority = await systemSigner.createAuthority({ commonName: 'webhook-ca', ...validity });
  const pair = await systemSigner.issue(authority, {
    commonName: 'webhook',
    organizations: [],
    usage: 'server',
    dnsNames: ['webhook.default.svc'],
    ipAddresses: [],
    ...validity,
  });
  authorityPem = authority.certificatePem;
  await mendlet.create(secret(pair.certificatePem, pair.keyPem), deployment(), service());
});
afterAll(() => mendlet.down());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secret(certificate: string, key: string): object {
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key) };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'webhook' }, type: 'kubernetes.io/tls', data };
}

function deployment(): object {
  const labels = { app: 'webhook' };
  const container = {
    name: 'webhook',
    image: IMAGE,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'https', containerPort: 8443 }],
    readinessProbe: { httpGet: { path: '/', port: 'https', scheme: 'HTTPS' }, periodSeconds: 1 },
    volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
  };
  const spec = { containers: [container], volumes: [{ name: 'tls', secret: { secretName: 'webhook' } }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'webhook' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function service(): object {
  const spec = { selector: { app: 'webhook' }, ports: [{ name: 'https', port: 443, targetPort: 'https' }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'webhook' }, spec };
}

function version(name: string, storage: boolean, fields: Readonly<Record<string, string>>): object {
  const properties = Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, { type }]));
  const columns = Object.entries(fields).map(([field, type]) => ({ name: field, type, jsonPath: `.spec.${field}` }));
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return { name, served: true, storage, additionalPrinterColumns: columns, schema: { openAPIV3Schema: schema } };
}

function definition(storage: string): object {
  const webhook = {
    conversionReviewVersions: ['v1'],
    clientConfig: {
      service: { namespace: 'default', name: 'webhook', path: '/convert' },
      caBundle: base64(authorityPem),
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'endpoints.convert.example.com' },
    spec: {
      group: 'convert.example.com',
      scope: 'Namespaced',
      names: { plural: 'endpoints', singular: 'endpoint', kind: 'Endpoint' },
      versions: [
        version('v2', storage === 'v2', { host: 'string', port: 'integer' }),
        version('v1', storage === 'v1', { hostPort: 'string' }),
      ],
      conversion: { strategy: 'Webhook', webhook },
    },
  };
}

function endpoint(name: string, metadata: object = {}): object {
  const spec = { hostPort: `${name}.example:80` };
  return { apiVersion: 'convert.example.com/v1', kind: 'Endpoint', metadata: { name, ...metadata }, spec };
}

const kubectl = (...args: string[]): Promise<string> => mendlet.kubectl(args);
const apply = (...objects: readonly object[]): Promise<string> =>
  mendlet.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
const SOON = { timeout: 60_000 };
const SECOND = 'endpoints.v2.convert.example.com';
const FIRST = 'endpoints.v1.convert.example.com';

it('objects are shown and changed in the version that is asked for', async () => {
  await kubectl('rollout', 'status', 'deployment/webhook', '--timeout=120s');
  await apply(definition('v1'));
  await kubectl('wait', '--for=condition=Established', 'crd/endpoints.convert.example.com', '--timeout=30s');
  await expect
    .poll(() => apply(endpoint('a'), endpoint('b')).catch(String), SOON)
    .toContain('endpoint.convert.example.com/a created');
  expect(await kubectl('get', SECOND)).toMatch(/^NAME +HOST +PORT\na +a\.example +80\nb +b\.example +80\n$/);
  await kubectl('patch', SECOND, 'a', '--type=merge', '-p', '{"spec":{"port":443}}');
  expect(await kubectl('get', FIRST, 'a', '-o', 'jsonpath={.spec.hostPort}')).toBe('a.example:443');
});

it('while the webhook is gone, what it converts cannot be read, and all else goes on', async () => {
  await kubectl('create', 'namespace', 'going');
  const owner = JSON.parse(await kubectl('create', 'configmap', 'owner', '-n', 'going', '-o', 'json')) as {
    metadata: { uid: string };
  };
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
  await apply(endpoint('owned', { namespace: 'going', ownerReferences }), endpoint('left', { namespace: 'going' }));
  await kubectl('scale', 'deployment/webhook', '--replicas=0');
  await expect
    .poll(async () => (await mendlet.tryKubectl(['get', SECOND, '-n', 'going'])).stderr, SOON)
    .toContain('no endpoints available for service "webhook"');
  await kubectl('delete', 'configmap', 'owner', '-n', 'going');
  await expect
    .poll(() => kubectl('get', FIRST, '-n', 'going', '-o', 'name'), SOON)
    .toBe('endpoint.convert.example.com/left\n');
  await kubectl('delete', 'namespace', 'going', '--timeout=60s');
});

it('objects move to a new version in the store, and are read in it without the webhook', async () => {
  await kubectl('scale', 'deployment/webhook', '--replicas=1');
  await kubectl('rollout', 'status', 'deployment/webhook', '--timeout=120s');
  await apply(definition('v2'));
  await expect
    .poll(async () => {
      const objects = await mendlet.tryKubectl(['get', SECOND, '-o', 'json']);
      const { stdout, stderr } = await mendlet.tryKubectl(['replace', '-f', '-'], objects.stdout);
      return stdout + stderr;
    }, SOON)
    .toContain('endpoint.convert.example.com/b replaced');
  await kubectl('scale', 'deployment/webhook', '--replicas=0');
  await expect.poll(async () => (await mendlet.tryKubectl(['get', FIRST])).code, SOON).not.toBe(0);
  expect(await kubectl('get', SECOND)).toMatch(/^NAME +HOST +PORT\na +a\.example +443\nb +b\.example +80\n$/);
  await kubectl('delete', 'crd', 'endpoints.convert.example.com', '--timeout=60s');
});
