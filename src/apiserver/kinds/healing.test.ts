import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterAll(() => api.close());

const base = '/apis/mendlet.dev/v1alpha1/namespaces/default';
const restarts = `${base}/podrestarts`;
const policies = `${base}/healingpolicies`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const restart = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { podName: 'web', ...spec },
});
const table = async (url: string): Promise<Loose> =>
  (await api.call('GET', url, undefined, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })).body;

describe('restarts of pods', () => {
  it('have their defaults, and say who made them', async () => {
    const given = { ...restart('r1', { requestedBy: 'somebody else' }), status: { phase: 'Succeeded' } };
    const { status, body } = await api.call('POST', restarts, given);
    expect(status).toBe(201);
    expect(body.metadata.generation).toBe(1);
    expect(body.spec).toEqual({ podName: 'web', scope: 'pod', requestedBy: 'admin', ttlSecondsAfterFinished: 3600 });
    expect(body.status).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['no pod', { podName: '' }, 'spec.podName: Invalid value: ""'],
    ['a strange name', { podName: 'A B' }, 'spec.podName: Invalid value: "A B"'],
    ['a scope that is none', { scope: 'node' }, 'spec.scope: Unsupported value: "node"'],
    ['no container', { scope: 'container' }, 'spec.container: Required value'],
    ['a container too much', { container: 'a' }, 'spec.container: Forbidden'],
    ['a negative grace', { gracePeriodSeconds: -1 }, 'spec.gracePeriodSeconds: Invalid value: -1'],
    ['a negative life', { ttlSecondsAfterFinished: -1 }, 'spec.ttlSecondsAfterFinished: Invalid value: -1'],
    ['volumes of containers', { scope: 'containers', emptyDirs: ['*'] }, 'spec.emptyDirs: Forbidden'],
    ['a novel', { reason: 'x'.repeat(1025) }, 'spec.reason: Too long: may not be more than 1024 bytes'],
  ])('are refused with %s', async (_, spec, problem) => {
    const { status, body } = await api.call('POST', restarts, restart('bad', spec));
    expect(status).toBe(422);
    expect(body.message).toContain(`PodRestart.mendlet.dev "bad" is invalid: ${problem}`);
  });

  it.each<[object, number, string]>([
    [{ reason: 'other' }, 422, 'spec.reason: Invalid value: "object": field is immutable'],
    [{ podName: 'db' }, 422, 'spec.podName: Invalid value: "object": field is immutable'],
    [{ requestedBy: 'me' }, 200, 'admin'],
    [{ ttlSecondsAfterFinished: 5 }, 200, 'admin'],
  ])('are changed by %j: %i', async (spec, code, expected) => {
    await api.call('POST', restarts, restart('fixed'));
    const { status, body } = await api.call('PATCH', `${restarts}/fixed`, { spec }, MERGE);
    expect(status).toBe(code);
    expect(code === 200 ? body.spec.requestedBy : body.message).toContain(expected);
  });

  it('tell their end by the status alone, and stay as they ended', async () => {
    await api.call('POST', restarts, restart('told'));
    const url = `${restarts}/told/status`;
    const told = await api.call('PATCH', url, { status: { phase: 'Failed', reason: 'PodNotFound' } }, MERGE);
    expect(told.body).toMatchObject({ spec: { requestedBy: 'admin' }, status: { phase: 'Failed' } });
    expect((await api.call('PATCH', url, { status: { phase: 'Lost' } }, MERGE)).status).toBe(422);
    const again = await api.call('PATCH', url, { status: { phase: 'Running' } }, MERGE);
    expect(again.body.message).toContain('status.phase: Invalid value: "object": is over: it stays Failed');
  });

  it('are found by pod and phase, and printed', async () => {
    await api.call('POST', restarts, restart('of-db', { podName: 'db', scope: 'container', container: 'sql' }));
    const { columnDefinitions, rows } = await table(`${restarts}?fieldSelector=spec.podName%3Ddb`);
    expect(columnDefinitions.map((entry: Loose) => entry.name)).toEqual([
      'Name',
      'Pod',
      'Scope',
      'Phase',
      'Reason',
      'By',
      'Age',
      'Node',
      'Message',
    ]);
    expect(rows.map((row: Loose) => row.cells)).toEqual([
      ['of-db', 'db', 'container/sql', 'Pending', '', 'admin', '0s', '<none>', ''],
    ]);
    const failed = await api.call('GET', `${restarts}?fieldSelector=status.phase%3DFailed`);
    expect(failed.body.items.map((item: Loose) => item.metadata.name)).toEqual(['told']);
  });
});

describe('policies of healing', () => {
  it('stay as they were written, and are printed', async () => {
    const spec = {
      selector: { matchLabels: { app: 'web' } },
      rungs: [{ scope: 'container' }, { scope: 'pod', attempts: 2, window: '1h' }, { scope: 'node', attempts: 1 }],
      maxPodRestarts: 6,
    };
    const made = await api.call('POST', policies, { metadata: { name: 'web' }, spec, status: { pods: 7 } });
    expect(made.status).toBe(201);
    expect(made.body.spec).toEqual(spec);
    expect(made.body.status).toBeUndefined();
    await api.call('POST', policies, { metadata: { name: 'all' }, spec: { selector: {} } });
    await api.call('PATCH', `${policies}/web/status`, { status: { pods: 3 } }, MERGE);
    const { columnDefinitions, rows } = await table(policies);
    expect(columnDefinitions.map((entry: Loose) => entry.name)).toEqual([
      'Name',
      'Selector',
      'Rungs',
      'MaxPodRestarts',
      'Pods',
      'Age',
    ]);
    expect(rows.map((row: Loose) => row.cells)).toEqual([
      ['all', '<all>', 'container×3 → pod×3', '<none>', 0, '0s'],
      ['web', 'app=web', 'container×3 → pod×2 → node×1', '6', 3, '0s'],
    ]);
  });

  it('count their changes', async () => {
    const { body } = await api.call('PATCH', `${policies}/web`, { spec: { maxPodRestarts: 7 } }, MERGE);
    expect(body).toMatchObject({ metadata: { generation: 2 }, status: { pods: 3 } });
  });

  it.each<[object, string]>([
    [{}, 'spec.selector: Required value'],
    [{ selector: {}, rungs: [{ scope: 'pod', attempts: 0 }] }, 'spec.rungs[0].attempts: Invalid value: 0'],
    [
      { selector: {}, backOff: { initial: '0s' } },
      'spec.backOff.initial: Invalid value: "string": must be between 100ms and 1h',
    ],
    [
      {
        selector: {},
        rules: Array.from({ length: 32 }, () => ({
          onExitCodes: { operator: 'In', values: Array.from({ length: 255 }, () => 1_000_000) },
        })),
      },
      'spec: Too long: may not be more than 32768 bytes',
    ],
  ])('are refused: %#', async (spec, problem) => {
    const { status, body } = await api.call('POST', policies, { metadata: { name: 'bad' }, spec });
    expect(status).toBe(422);
    expect(body.message).toContain(`HealingPolicy.mendlet.dev "bad" is invalid: ${problem}`);
  });

  it('are refused in the words of every server when a type is wrong', async () => {
    const spec = { selector: {}, rungs: [{ scope: 'pod', attempts: 'three' }] };
    const { status, body } = await api.call('POST', policies, { metadata: { name: 'bad' }, spec });
    expect(status).toBe(422);
    expect(body.message).toContain('spec.rungs[0].attempts in body must be of type integer: "string"');
  });
});
