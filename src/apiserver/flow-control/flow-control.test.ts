import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';
import { type FlowObject, planFlowObjects } from './plan-objects.ts';
import { danglingCondition } from './plan-dangling.ts';

describe('the plan of the objects that the server brings', () => {
  const AUTO = 'apf.kubernetes.io/autoupdate-spec';
  const object = (name: string, spec: object, auto?: string, generation = 1): FlowObject => ({
    metadata: { name, uid: 'u', resourceVersion: '7', generation, ...(auto && { annotations: { [AUTO]: auto } }) },
    spec,
  });
  const plan = (...stored: readonly FlowObject[]) =>
    planFlowObjects({
      stored,
      wanted: [object('fixed', { n: 1 }, 'true'), object('open', { n: 1 }, 'true')],
      mandatory: new Set(['fixed']),
      correct: ({ spec }) => spec,
    }).map((step) =>
      step.kind === 'delete'
        ? `delete ${step.name}`
        : `${step.kind} ${step.object.metadata?.name} ${JSON.stringify(step.object.spec)} ${step.object.metadata?.annotations?.[AUTO]}`,
    );
  const fixed = object('fixed', { n: 1 }, 'true');
  const open = object('open', { n: 1 }, 'true');
  it.each([
    ['nothing when all is there', [fixed, open], []],
    ['makes what is missing', [], ['create fixed {"n":1} true', 'create open {"n":1} true']],
    [
      'corrects a mandatory one whatever it says',
      [object('fixed', { n: 2 }, 'false'), open],
      ['update fixed {"n":1} true'],
    ],
    [
      'updates a suggested one that follows',
      [fixed, object('open', { n: 2 }, 'true', 4)],
      ['update open {"n":1} true'],
    ],
    ['leaves one that somebody took over', [fixed, object('open', { n: 2 }, 'false', 4)], []],
    ['takes one that was never changed for its own', [fixed, object('open', { n: 2 })], ['update open {"n":1} true']],
    ['notes that somebody changed one', [fixed, object('open', { n: 2 }, undefined, 2)], ['update open {"n":2} false']],
    ['understands no other words', [fixed, object('open', { n: 2 }, 'yes', 2)], ['update open {"n":2} false']],
    ['removes what it brought once', [fixed, open, object('old', {}, 'true')], ['delete old']],
    ['leaves those of others', [fixed, open, object('own', {}), object('taken', {}, 'false')], []],
  ] as const)('%s', (_, stored, steps) => {
    expect(plan(...stored)).toEqual(steps);
  });
});

describe('the condition Dangling', () => {
  const schema = (...conditions: object[]): Loose => ({
    spec: { priorityLevelConfiguration: { name: 'low' } },
    status: { conditions },
  });
  const told = { type: 'Dangling', reason: 'Found', lastTransitionTime: 't0' };
  const about = 'This FlowSchema references the PriorityLevelConfiguration object named "low"';
  it.each([
    ['there', schema(), true, { status: 'False', reason: 'Found', message: `${about} and it exists` }],
    [
      'missing',
      schema(),
      false,
      { status: 'True', reason: 'NotFound', message: `${about} but there is no such object` },
    ],
    ['told', schema({ ...told, status: 'False', message: `${about} and it exists` }), true, undefined],
    ['gone', schema({ ...told, status: 'False', message: `${about} and it exists` }), false, { status: 'True' }],
    ['told in other words', schema({ ...told, status: 'False', message: '' }), true, { status: 'False' }],
  ])('%s', (_, object, isThere, condition) => {
    const written = danglingCondition(object, (name) => isThere && name === 'low', 't1');
    if (condition === undefined) expect(written).toBeUndefined();
    else expect(written).toMatchObject({ type: 'Dangling', lastTransitionTime: 't1', ...condition });
  });
});

describe('a server', () => {
  const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const SCHEMAS = `${GROUP}/flowschemas`;
  const LEVELS = `${GROUP}/prioritylevelconfigurations`;
  let api: TestServer;
  beforeEach(async () => {
    api = await startTestServer({ clock: createManualClock() });
  });
  afterEach(() => api.close());

  const missing = async (): Promise<Loose> => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await api.call('GET', SCHEMAS, undefined, { accept });
    const column = body.columnDefinitions.findIndex(({ name }: Loose) => name === 'MissingPL');
    return Object.fromEntries(body.rows.map(({ cells }: Loose) => [cells[0], cells[column]]));
  };

  it('says of each schema whether its level is there, and follows both', async () => {
    await expect.poll(async () => new Set(Object.values(await missing()))).toEqual(new Set(['False']));
    const spec = {
      priorityLevelConfiguration: { name: 'own' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'ann' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
        },
      ],
    };
    const made = await api.call('POST', SCHEMAS, { metadata: { name: 'mine' }, spec });
    expect(made.status).toBe(201);
    expect(made.headers['warning']).toContain('nothing of mendlet acts on a FlowSchema');
    await expect.poll(async () => (await missing()).mine).toBe('True');
    const level = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    expect((await api.call('POST', LEVELS, { metadata: { name: 'own' }, spec: level })).status).toBe(201);
    await expect.poll(async () => (await missing()).mine).toBe('False');
    await api.call('DELETE', `${LEVELS}/own`);
    await expect.poll(async () => (await missing()).mine).toBe('True');
    const { body } = await api.call('GET', `${SCHEMAS}/mine`);
    expect(body.status.conditions).toMatchObject([{ type: 'Dangling', status: 'True', reason: 'NotFound' }]);
    expect(body.metadata.managedFields.map(({ manager }: Loose) => manager)).toContain(
      'api-priority-and-fairness-config-consumer-v1',
    );
    // The spec did not change.
    expect(body.metadata.generation).toBe(1);
  });

  it('lists schemas in the order in which requests would be matched', async () => {
    expect(Object.keys(await missing()).slice(0, 6)).toEqual([
      'exempt',
      'probes',
      'system-leader-election',
      'endpoint-controller',
      'workload-leader-election',
      'system-node-high',
    ]);
  });

  it('refuses to change a mandatory spec, but for the weight of what is exempt', async () => {
    const patch = async (url: string, spec: object): Promise<Loose> => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      return (await api.call('PATCH', url, { spec }, headers)).body;
    };
    expect((await patch(`${SCHEMAS}/catch-all`, { matchingPrecedence: 9000 })).message).toContain(
      "spec of 'catch-all' must equal the fixed value",
    );
    expect((await patch(`${LEVELS}/catch-all`, { limited: { nominalConcurrencyShares: 9 } })).message).toContain(
      "spec of 'catch-all' must equal the fixed value",
    );
    const changed = await patch(`${LEVELS}/exempt`, { exempt: { nominalConcurrencyShares: 3 } });
    expect(changed.spec.exempt.nominalConcurrencyShares).toBe(3);
    expect((await patch(`${SCHEMAS}/global-default`, { matchingPrecedence: 9800 })).spec.matchingPrecedence).toBe(9800);
  });

  it('puts back within a minute what was deleted, and what it brought as it was', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    await api.call('DELETE', `${SCHEMAS}/catch-all`);
    await api.call('DELETE', `${LEVELS}/exempt`);
    await api.call('DELETE', `${SCHEMAS}/probes`);
    await api.call('PATCH', `${SCHEMAS}/service-accounts`, { spec: { matchingPrecedence: 8000 } }, headers);
    const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' };
    await api.call(
      'PATCH',
      `${SCHEMAS}/system-nodes`,
      { metadata: { annotations }, spec: { matchingPrecedence: 600 } },
      headers,
    );
    await api.clock.advance(60_000);
    const precedence = async (name: string) =>
      (await api.call('GET', `${SCHEMAS}/${name}`)).body.spec?.matchingPrecedence;
    await expect.poll(() => precedence('catch-all')).toBe(10_000);
    await expect.poll(() => precedence('probes')).toBe(2);
    await expect.poll(() => precedence('service-accounts')).toBe(9000);
    expect(await precedence('system-nodes')).toBe(600);
    expect((await api.call('GET', `${LEVELS}/exempt`)).status).toBe(200);
    await expect.poll(async () => new Set(Object.values(await missing()))).toEqual(new Set(['False']));
  });
});
