import { describe, expect, it } from 'vitest';
import type { Breather } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from './test-server.ts';

/** Gives way whenever it is asked, in a turn of the loop of its own; `turns` counts them. */
function patientBreather(): Breather & { readonly turns: () => number } {
  let turns = 0;
  return {
    pause: () =>
      new Promise((resolve) => {
        turns += 1;
        setImmediate(resolve);
      }),
    sent: () => {},
    turns: () => turns,
  };
}

interface Counted {
  readonly api: TestServer;
  /** The turns of the loop in which the server worked for a request, and its answer. */
  readonly counted: (
    method: string,
    url: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Loose>;
}

async function withCountedTurns(test: (server: Counted) => Promise<void>): Promise<void> {
  const breather = patientBreather();
  const api = await startTestServer({ clock: createManualClock(), breather });
  try {
    await test({
      api,
      counted: async (...request) => {
        const before = breather.turns();
        const answer = await api.call(...request);
        return { ...answer, turns: breather.turns() - before };
      },
    });
  } finally {
    await api.close();
  }
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(n: number): object {
  const group = 'turns.example.com';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things${n}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `things${n}`, kind: `Thing${n}` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

describe('a request that takes long', () => {
  it('gives way between the walks of an apply', () =>
    withCountedTurns(async ({ counted }) => {
      const url = '/api/v1/namespaces/default/configmaps/big?fieldManager=a';
      const body = (keys: number): object => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'big' },
        data: Object.fromEntries(Array.from({ length: keys }, (_, n) => [`key-${n}`, 'x'])),
      });
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      const created = await counted('PATCH', url, body(100), headers);
      expect(created.status).toBe(201);
      expect(created.turns).toBeGreaterThan(8);
      // What its manager gives up takes a few walks more.
      const pruned = await counted('PATCH', url, body(99), headers);
      expect(Object.keys(pruned.body.data)).toHaveLength(99);
      expect(pruned.turns).toBeGreaterThan(created.turns + 4);
    }));

  const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  it.each([
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', PROTOBUF],
    ['/openapi/v3/apis/turns.example.com/v1', 'application/json'],
    ['/openapi/v3', 'application/json'],
  ])('gives way at each kind of a document: %s %s', (url, accept) =>
    withCountedTurns(async ({ api, counted }) => {
      const kinds = 30;
      for (let n = 0; n < kinds; n++) await api.call('POST', DEFINITIONS, definition(n));
      await expect
        .poll(async () => (await api.call('GET', `/apis/turns.example.com/v1/things${kinds - 1}`)).status)
        .toBe(200);
      const first = await counted('GET', url, undefined, { accept });
      expect(first.status).toBe(200);
      expect(first.turns).toBeGreaterThanOrEqual(kinds);
      const again = await counted('GET', url, undefined, { accept });
      expect(again.body).toEqual(first.body);
    }),
  );
});
