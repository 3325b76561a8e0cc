/** The contract of test/support/kind-contract.ts for every built-in kind, and the end of a namespace with an object of each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  type ContractKind,
  expectCounted,
  expectExplained,
  expectTable,
  expectWatch,
  expectWrites,
  prepareContract,
} from '../../../test/support/kind-contract.ts';
import { fullName, manifestOf } from '../../../test/support/sample-objects.ts';
import { apiVersionOf, CUSTOM_RESOURCE_DEFINITIONS, type KubeObject, NAMESPACES } from '../../api/index.ts';
import { Informers } from '../../client/index.ts';
import { namespaceController } from '../../controllers/namespace/namespace-controller.ts';
import { runController } from '../../controllers/run-controller.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { createCertificateRequest } from '../edge/certificate-request.node.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import type { StoredKind } from '../call.ts';
import { builtInKinds } from './built-in.ts';
import { LiveRegistry } from './registry.ts';

/** Names that say something of their objects. */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  ipaddresses: ['10.97.0.1', '10.97.0.2'],
};

const KINDS = new LiveRegistry(builtInKinds()).all();

function contractOf({ row, quota }: StoredKind, samples: Readonly<Record<string, object>>): ContractKind {
  const { metadata: _, ...sample } = { ...manifestOf(row, '', 'contract'), ...samples[fullName(row)] } as never as {
    metadata: object;
  };
  const label = `${row.group || 'core'}-${row.version}`;
  const names = NAMES[row.resource] ?? [`one-${label}`, `two-${label}`];
  return { row, sample, names, isCounted: quota !== false };
}

/** A certificate request needs a real one. */
async function certificateSample(): Promise<object> {
  const { csrPem } = await createCertificateRequest({
    commonName: 'bob',
    organizations: [],
    dnsNames: [],
    ipAddresses: [],
  });
  const request = Buffer.from(csrPem).toString('base64');
  return { spec: { request, signerName: 'example.com/signer', usages: ['client auth'] } };
}

const samples: Record<string, object> = {};
let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await prepareContract(api);
  samples['certificatesigningrequests.certificates.k8s.io'] = await certificateSample();
});
afterAll(() => api.close());

/** A definition's name says what its spec says, and its status tells no lies: `../custom-resources/` tests it, and this contract for what it defines. */
const IN_CONTRACT = KINDS.filter(({ row }) => row !== CUSTOM_RESOURCE_DEFINITIONS);

describe.each(IN_CONTRACT.map((kind) => [`${kind.row.kind} of ${apiVersionOf(kind.row)}`, kind] as const))(
  '%s',
  (_, kind) => {
    it('is written with its defaults, and its status by its own path', async () => {
      await expectWrites(api, contractOf(kind, samples));
    });
    it('is watched', async () => {
      await expectWatch(api, contractOf(kind, samples));
    });
    it('is printed', async () => {
      await expectTable(api, contractOf(kind, samples));
    });
    it('is explained', async () => {
      await expectExplained(api, contractOf(kind, samples));
    });
    it('is counted by quotas', async () => {
      await expectCounted(api, contractOf(kind, samples));
    });
  },
);

it('a namespace ends with all that is in it', async () => {
  const { client, clock } = await createInMemoryApi();
  const doomed = 'doomed';
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: doomed } });
  const inside = KINDS.filter(({ row, form }) => row.namespaced && form === undefined);
  for (const { row } of inside) {
    const sample = manifestOf(row, 'sample', doomed) as KubeObject;
    // Nobody ends pods here, or takes the finalizers of claims away.
    const object =
      row.resource === 'pods'
        ? { ...sample, spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 } }
        : sample;
    const made = await client.create(row, object);
    if ((made.metadata?.finalizers ?? []).length > 0)
      await client.patch(row, doomed, 'sample', 'merge', { metadata: { finalizers: null } });
  }
  const stop = new AbortController();
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  const informers = new Informers(options);
  const controller = namespaceController({ ...options, informers });
  const running = Promise.all([
    informers.run(stop.signal),
    runController(controller, { ...options, informers }, stop.signal),
  ]);
  await client.delete(NAMESPACES, undefined, doomed);
  await until(async () => {
    const { items } = await client.list(NAMESPACES);
    return items.every(({ metadata }) => metadata?.name !== doomed);
  }, 'the end of the namespace');
  for (const { row } of inside)
    expect([row.resource, (await client.list(row, { namespace: doomed })).items]).toEqual([row.resource, []]);
  stop.abort(new Error('enough'));
  await running;
});
